"""The page's addresses, and the module of the view that `routes.js` shows at each: it is preloaded."""

VIEWS = {
    "/": "views/list.js",
    "/servers": "views/system/view.js",
    "/system": "views/system/view.js",
    "/review": "views/review/view.js",
    "/submit": "views/submit/view.js",
    "/memories": "views/memory/view.js",
    "/usage": "views/usage/view.js",
    "/sessions/{session_id}": "views/session.js",
    "/sessions/{session_id}/record": "views/record/view.js",
}
