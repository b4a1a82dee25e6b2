"""The catalog of SDK methods, read from the SDK's own source."""
