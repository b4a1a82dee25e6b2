"""What a tool shows beside its document: images and links."""

import json

import pytest
from mcp_types import ImageContent, ResourceLink

from handrail.json_types import JsonMapping
from handrail.protocol import Call, ServerTool, ToolAnswer, create_server
from tests.protocol.peer import Era, connected
from tests.protocol.sample_tools import GATEWAY, schema

pytestmark = pytest.mark.unit

IMAGE = ImageContent(type="image", data="iVBORw==", mime_type="image/png")
LINK = ResourceLink(type="resource_link", uri="handrail://results/r_1", name="r_1", mime_type="application/zip", size=9)


async def _show(_call: Call, _arguments: JsonMapping) -> ToolAnswer:
    return ToolAnswer({"size": 4}, content=(IMAGE, LINK))


@pytest.mark.parametrize("era", list(Era), ids=lambda era: era.value)
async def test_images_and_links_stand_after_the_document(era: Era) -> None:
    server = create_server([ServerTool("show", "Show", "Shows.", schema({}), GATEWAY, _show)])
    async with connected(server, era) as peer:
        result = await peer.call("show")

    assert result["structuredContent"] == {"size": 4}
    assert isinstance(result["content"], list)
    text, *beside = result["content"]
    assert isinstance(text, dict)
    assert json.loads(str(text["text"])) == {"size": 4}
    assert beside == [
        {"type": "image", "data": "iVBORw==", "mimeType": "image/png"},
        {
            "type": "resource_link",
            "uri": "handrail://results/r_1",
            "name": "r_1",
            "mimeType": "application/zip",
            "size": 9,
        },
    ]
