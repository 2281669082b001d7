// The addresses that need no token: whether the daemon lives and is ready, and the login link by which a browser gets its session.
import { RoomError } from '../core/errors.ts';
import { usedLink, wantsPage } from './board/pages.ts';
import { cookieName, hasSession } from './middleware/caller.ts';
import type { HttpRoom } from './room/http-room.ts';

export interface OpenRoute {
  path: string;
  about: string;
  answers: Readonly<Record<number, string>>;
  run(room: HttpRoom, request: Request, origin: string): Promise<Response>;
}

const plain = (status: number, body: string) =>
  new Response(`${body}\n`, { status, headers: { 'content-type': 'text/plain' } });

export const OPEN_ROUTES: readonly OpenRoute[] = [
  {
    path: '/healthz',
    about: 'The daemon lives.',
    answers: { 200: 'It does.' },
    run: async () => plain(200, 'ok'),
  },
  {
    path: '/readyz',
    about: 'The room is taken in and watched.',
    answers: { 200: 'It is.', 503: 'Not yet, or not any more.' },
    run: async (room) => (room.isReady() ? plain(200, 'ready') : plain(503, 'not ready')),
  },
  {
    path: '/open',
    about: 'Takes the key of a one-time link and sets the cookie of a session.',
    answers: {
      200: 'The key is good: asked with HEAD, which does not use it.',
      303: 'To /, with the cookie.',
      403: 'The key was used, or is too old.',
    },
    async run(room, { method, headers, url }, origin) {
      const key = new URL(url).searchParams.get('key') ?? '';
      const toBoard = (more = {}) => new Response(null, { status: 303, headers: { location: '/', ...more } });
      // The preview of a chat program opens nothing.
      if (method === 'HEAD') return new Response(null, { status: room.links.isGood(key) ? 200 : 403 });
      if (!room.links.take(key)) {
        // The same browser may open the link again.
        if (hasSession(room, headers)) return toBoard();
        if (wantsPage(headers)) return usedLink();
        throw new RoomError('not_allowed', 'this link was used, or is too old', 'ask for a new one');
      }
      const { token, expiresAt } = room.api.tokens.createSession();
      const seconds = Math.trunc((expiresAt - room.effects.now()) / 1000);
      const secure = origin.startsWith('https:') ? '; Secure' : '';
      const cookie = `${cookieName(room.api.roomId)}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
      return toBoard({ 'set-cookie': cookie });
    },
  },
];
