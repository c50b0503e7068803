"""The session view of the page in a tab, fed by a test with what the gateway sends."""

SHOW_SESSION = """async ([assets, id, detail, messages]) => {
    const { html, render } = await import(`${assets}/ui.js`);
    const { SessionStore } = await import(`${assets}/stores/session_store.js`);
    const { SessionPage } = await import(`${assets}/views/session.js`);
    const main = document.createElement("main");
    document.body.replaceChildren(main);
    const store = new SessionStore(id);
    store.notice.value = "";
    store.read = async () => {};
    store.record.read = async () => {};
    if (detail !== null) store.detail.value = detail;
    render(html`<${SessionPage} store=${store} />`, main);
    const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    window.store = store;
    window.feed = async (more) => {
        for (const message of more) {
            if (message.type === "again") store.begin();
            else store.take(message);
        }
        for (let some = 0; some < 4; some++) await frames();
    };
    await window.feed(messages);
}"""
"""A function of the assets' address, the session's id, what the API answers of it (null: nothing), and messages.
`{"type": "again"}` among them stands for a connection that came back. `window.feed` takes more."""

LOAD_STYLES = """(addresses) => Promise.all(addresses.map((address) => new Promise((done) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: address, onload: done });
    document.head.append(link);
})))"""
"""A function of the addresses of style sheets."""
