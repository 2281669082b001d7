// The pages without the board: how to get in, a used link, a board that was not built. They have no script; a hash allows their style.
import { createHash } from 'node:crypto';

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.55 system-ui,sans-serif;max-width:34rem;margin:14vh auto 0;padding:0 1.25rem}
h1{font-size:1.25rem;margin:0 0 .75rem}
code,pre{font:14px/1.5 ui-monospace,monospace;background:color-mix(in srgb,currentColor 9%,transparent);border-radius:.35rem}
code{padding:.1rem .35rem}pre{padding:.7rem .9rem;overflow:auto}
a{color:inherit}p.small{opacity:.75;font-size:.875rem}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

function page(status: number, title: string, body: string): Response {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · taskroom</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>${body}</main></body></html>
`;
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      ...(status === 401 ? { 'www-authenticate': 'Bearer realm="taskroom"' } : {}),
    },
  });
}

const ASK = `<p>On the machine of the room, in its folder:</p><pre>taskroom open</pre>`;
// A link from elsewhere brings no cookie with it; this one does.
const AGAIN = '<p class="small">Came by a link just now? <a href="/">Go on to the board.</a></p>';

export function howToGetIn(): Response {
  return page(
    401,
    'This room is locked',
    `${ASK}<p>It opens this page with a link that works once. <code>taskroom open --print</code> prints the link, for a browser elsewhere.</p>${AGAIN}`,
  );
}

export const usedLink = (): Response =>
  page(403, 'This link was used, or is too old', `<p>A link works once, for five minutes.</p>${ASK}`);

export function notBuilt(): Response {
  return page(
    404,
    'The board is not built',
    '<p>This taskroom runs from a tree without <code>dist/web</code>. Build it, then load this page again:</p><pre>npm run build</pre>',
  );
}

export const wantsPage = (headers: Headers): boolean => /\btext\/html\b/.test(headers.get('accept') ?? '');
