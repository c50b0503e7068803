"""Pictures with 256 colours, in a third of the bytes: made by the browser, as nothing else here reads pictures."""

import base64

from playwright.async_api import Browser

REDUCE = """async (encoded) => {
    const bytesOf = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytesOf(encoded)], { type: "image/png" }));
    const { width, height } = image;
    const canvas = new OffscreenCanvas(width, height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    const pixels = new Uint32Array(canvas.getImageData(0, 0, width, height).data.buffer);

    const counts = new Map();
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    const palette = [...counts].sort((one, other) => other[1] - one[1]).slice(0, 256).map(([colour]) => colour);
    const parts = (colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
    const known = palette.map(parts);
    const places = new Map(palette.map((colour, place) => [colour, place]));
    const nearest = (colour) => {
        const wanted = parts(colour);
        let best = 0, least = Infinity;
        known.forEach((one, place) => {
            const far = one.reduce((sum, part, index) => sum + (part - wanted[index]) ** 2, 0);
            if (far < least) [best, least] = [place, far];
        });
        places.set(colour, best);
        return best;
    };

    const rows = new Uint8Array((width + 1) * height);
    pixels.forEach((colour, index) => {
        const row = Math.floor(index / width);
        rows[row * (width + 1) + 1 + (index % width)] = places.get(colour) ?? nearest(colour);
    });
    const packed = await new Response(new Blob([rows]).stream().pipeThrough(new CompressionStream("deflate"))).bytes();

    const table = Array.from({ length: 256 }, (_, number) => {
        let value = number;
        for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
        return value;
    });
    const checksum = (bytes) => {
        let value = -1;
        for (const byte of bytes) value = table[(value ^ byte) & 255] ^ (value >>> 8);
        return ~value;
    };
    const number = (value) => [value >>> 24, value >>> 16, value >>> 8, value].map((byte) => byte & 255);
    const chunk = (name, data) => {
        const named = [...new TextEncoder().encode(name), ...data];
        return [...number(data.length), ...named, ...number(checksum(named))];
    };
    const file = [
        137, 80, 78, 71, 13, 10, 26, 10,
        ...chunk("IHDR", [...number(width), ...number(height), 8, 3, 0, 0, 0]),
        ...chunk("PLTE", known.flat()),
        ...chunk("IDAT", Array.from(packed)),
        ...chunk("IEND", []),
    ];
    let text = "";
    for (const byte of file) text += String.fromCharCode(byte);
    return btoa(text);
}"""
"""A function of a PNG: one with a palette of its most frequent colours; others become the nearest of them."""


async def with_palette(browser: Browser, picture: bytes) -> bytes:
    """The smaller one of both."""
    page = await browser.new_page()
    try:
        reduced = base64.b64decode(await page.evaluate(REDUCE, base64.b64encode(picture).decode()))
    finally:
        await page.close()
    return min(picture, reduced, key=len)
