import { expect, test } from 'vitest';
import { plain } from '../../src/cli/paint.ts';
import { RoomFeed } from '../../src/top/room/room-feed.ts';
import { createManualClock, settle } from '../support/manual-clock.ts';
import { someRoom } from './screen-room.ts';

test('a room that answered slowly once is looked at again within seconds', async () => {
  const clock = createManualClock();
  const { ended } = someRoom();
  let isSlow = true;
  const answers: Record<string, object> = {
    '/api/facts': { dir: '/rooms/work' },
    '/api/tasks': { tasks: [], version: '1' },
    '/api/turns': { turns: [] },
    '/api/workers': { workers: [], places: null },
    '/api/inbox': { inbox: [] },
  };
  const fetch = async (url: unknown, { signal }: RequestInit) => {
    const { pathname, searchParams } = new URL(String(url));
    if (pathname === '/api/events')
      return new Response(
        new ReadableStream({ start: (news) => signal!.addEventListener('abort', () => news.close()) }),
      );
    if (pathname === '/api/turns' && isSlow) clock.advance(1_000);
    return Response.json(searchParams.has('state') ? { turns: [] } : answers[pathname]);
  };
  const remote = { url: 'http://127.0.0.1:7420', token: 'token' };
  const request = { remote, effects: { ...clock, fetch } } as never;
  const feed = await RoomFeed.open(request, plain, () => {});
  await settle();
  [isSlow, answers['/api/turns']] = [false, { turns: ended }];
  await clock.advanceGently(5_000);
  expect(feed.facts().ended).toEqual(ended);
  await feed.close();
});
