// The live terminal of a room on another machine, in a real terminal: it knows the daemon's address and a token alone.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRoom, PROGRAM } from '../e2e/room.ts';
import { forEachTest } from '../support/for-each-test.ts';
import { hasTmux, openTmux, type TmuxScreen } from './tmux-screen.ts';

describe.skipIf(!hasTmux())('taskroom top from another machine', () => {
  const room = forEachTest(() => createRoom());
  let screen: TmuxScreen | null;
  beforeEach(() => {
    screen = null;
  });
  afterEach(async () => {
    screen?.close();
  });

  test('it hears of files and turns, acts by keys, and finds a daemon that was away', async () => {
    room.agent('talker', { command: ['/bin/sh', '-c', 'echo said aloud; read go < gates/talk'] });
    room.gate('talk');
    const daemon = await room.up('--port', '0');
    await daemon.see('api.ready');
    const { url } = JSON.parse(room.read('.taskroom/api.json')) as { url: string };
    const token = room.read('.taskroom/token').trim();
    screen = openTmux({
      PATH: process.env.PATH!,
      TASKROOM_URL: url,
      TASKROOM_TOKEN: token,
      HOME: '/',
      PS1: 'shell> ',
    });
    screen.type(`cd / && ${process.execPath} ${PROGRAM} top`);
    screen.keys('Enter');
    await screen.shows('● live');
    room.save('tasks/Talk.md', '---\nid: talktalk\nowner: talker\nactive_form: Talking\n---\nTalk.\n');
    await screen.shows('said aloud');
    screen.keys('n');
    screen.type('Made from afar');
    screen.keys('Enter');
    await screen.shows('tasks/Made from afar.md is written');
    expect(room.read('tasks/Made from afar.md')).toContain('created_by: owner');
    await room.ok('stop', '--now');
    await daemon.ended;
    await screen.shows('○ lost');
    await room.up('--port', new URL(url).port);
    await screen.shows('● live');
    screen.keys('q');
    await screen.shows('shell>');
  });
});
