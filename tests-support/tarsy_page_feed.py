"""Views of the page in a tab, put together by a test and fed with what the gateway sends."""

FEED = """
    const main = document.createElement("main");
    main.append(...parts.map((part) => part.node));
    document.body.replaceChildren(main);
    const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    window.feed = async (more) => {
        for (const message of more) {
            const changes = message.type === "again" ? beginAgain(session) : take(session, message);
            if (changes.session) for (const part of parts) part.update(session);
            items.changed(changes.items);
        }
        await frames();
        await frames();
    };
    await window.feed(messages);
"""
"""A part of a function that has `session`, `take`, `beginAgain`, the timeline `items`, all `parts`, and `messages`."""
