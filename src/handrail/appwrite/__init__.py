"""The appwrite room."""
