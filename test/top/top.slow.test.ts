// The live terminal in a real one: keys sent to it, what it shows read back. One room; each test leaves it as the next may find it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Daemon } from '../e2e/daemon.ts';
import { createRoom, type E2eRoom, PROGRAM } from '../e2e/room.ts';
import { hasTmux, openTmux, type TmuxScreen } from './tmux-screen.ts';

const isThere = hasTmux();

let room: E2eRoom;
let screen: TmuxScreen;
let daemon: Daemon;

const ASKER = "taskroom ask 'Tea or coffee?'";
const TALKER =
  "echo first words; echo; printf '\\033[31mred words\\033[0m\\n'; read go < gates/talk; echo last words; taskroom outcome ok; taskroom done";

describe.skipIf(!isThere)('taskroom top', () => {
  beforeAll(async () => {
    room = await createRoom();
    room.agent('asker', { command: ['/bin/sh', '-c', ASKER] });
    room.agent('talker', { command: ['/bin/sh', '-c', TALKER] });
    room.gate('talk');
    room.save('tasks/Old one.md', '---\nid: oldone11\nstatus: done\n---\nOver.\n');
    screen = openTmux({
      PATH: process.env.PATH!,
      AGENT_ROOM: room.dir,
      EDITOR: 'echo Edited. >>',
      PS1: 'shell> ',
    });
  });
  afterAll(async () => {
    screen?.close();
    await room?.close();
  });

  const open = (...args: string[]) => {
    screen.keys('C-l');
    screen.type(`${process.execPath} ${PROGRAM} top ${args.join(' ')}`);
    screen.keys('Enter');
  };
  const settings = () => {
    screen.keys('C-l');
    screen.type(`stty -a > ${room.at('stty')}; echo wri''tten`);
    screen.keys('Enter');
    return screen.shows('written').then(() => room.read('stty'));
  };

  test('without a daemon it shows the files, and a saved one at once; nothing is written', async () => {
    const before = await settings();
    open();
    await screen.shows('○ files');
    await screen.shows('Tasks 1/1');
    room.save('tasks/Sort the mail.md', '---\nstatus: draft\nlabels: [post]\n---\nSort it.\n');
    await screen.shows('✎ Sort the mail');
    await screen.shows('Tasks 1/2');
    room.edit('tasks/Sort the mail.md', (text) => text.replace('draft', 'canceled'));
    await screen.hides('Sort the mail');
    expect(room.read('tasks/Sort the mail.md')).not.toContain('id:');
    screen.keys('q');
    await screen.shows('shell>');
    expect(screen.text()).not.toContain('Tasks 1/1');
    expect(await settings()).toBe(before);
  });

  test('a daemon that starts is heard of, also one that ends and starts again', async () => {
    open();
    await screen.shows('○ files');
    daemon = await room.up();
    await screen.shows('● live');
    await room.ok('stop');
    await daemon.ended;
    await screen.shows('○ files');
    daemon = await room.up();
    await screen.shows('● live');
  });

  test('a turn: asked for by r, followed by Enter, its last line below its task', async () => {
    room.save(
      'tasks/Talk.md',
      '---\nid: talktalk\nstatus: draft\nowner: talker\nactive_form: Talking\n---\nTalk.\n',
    );
    await screen.shows('✎ Talk');
    screen.keys('/');
    screen.type('talk');
    await screen.shows(/\/talk$/);
    screen.keys('Enter', 'Down');
    room.edit('tasks/Talk.md', (text) => text.replace('draft', 'todo'));
    await screen.shows(/Running +1/);
    await screen.shows('Talking…');
    await screen.shows('│ red words');
    screen.keys('Enter');
    await screen.shows('@talker  running');
    await screen.shows('first words\n\nred words');
    room.open('talk', 'x');
    await screen.shows('last words');
    await screen.shows('completed');
    screen.keys('Escape');
    // What the agent printed begins with that too: of the list it is the line below its heading.
    await screen.shows(/^Done[^\n]*\n.* ✓ Talk/m);
    screen.keys('Escape');
    await screen.shows('✓ Old one');
  });

  test('it follows the size of the terminal, down to 40 by 10', async () => {
    room.save('tasks/Later.md', '---\nstatus: todo\npaused: true\n---\nLater.\n');
    await screen.shows('1 paused');
    screen.resize(40, 10);
    const small = await screen.shows(/^Tasks \d+\/\d+/);
    expect(Math.max(...small.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(40);
    screen.resize(10, 3);
    await screen.shows('too small');
    screen.resize(80, 24);
    await screen.shows('1 Room  2 Inbox');
    await screen.shows('live');
  });

  test('Ctrl-Z gives the terminal back, fg takes it again', async () => {
    screen.keys('C-z');
    await screen.shows('shell>');
    await screen.hides('1 Room');
    screen.type('fg');
    screen.keys('Enter');
    await screen.shows('1 Room');
    await screen.shows('live');
    screen.keys('3');
    await screen.shows('Ended');
    screen.keys('1', 'q');
    await screen.shows('shell>');
  });

  test.each(['TERM', 'HUP', 'INT', 'QUIT'])('ended by %s it leaves the terminal as it was', async (how) => {
    const before = await settings();
    open();
    await screen.shows('● live');
    const [pid] = screen.pids();
    execFileSync('kill', [`-${how}`, String(pid)]);
    await screen.shows('shell>');
    expect(await settings()).toBe(before);
    // The cursor is there again, and what is typed is seen.
    screen.type('echo vis""ible');
    await screen.shows('echo vis""ible');
    screen.keys('Enter');
    await screen.shows(/^visible/m);
  });

  test('beside a daemon `q` ends it with 0, also after the daemon was killed', async () => {
    const openAndTell = () => {
      screen.keys('C-l');
      screen.type(`${process.execPath} ${PROGRAM} top; echo "ended with $?"`);
      screen.keys('Enter');
    };
    openAndTell();
    await screen.shows('● live');
    screen.keys('q');
    expect(await screen.shows(/^ended with/m)).toMatch(/^ended with 0$/m);
    openAndTell();
    await screen.shows('● live');
    daemon.signal('SIGKILL');
    await daemon.ended;
    await screen.shows('○ files');
    daemon = await room.up();
    await screen.shows('● live');
    screen.keys('q');
    expect(await screen.shows(/^ended with/m)).toMatch(/^ended with 0$/m);
  });

  test('no colours, no terminal, a dumb one', async () => {
    open('--no-color');
    await screen.shows(/^› /m);
    screen.keys('q');
    await screen.shows('shell>');
    screen.keys('C-l');
    screen.type(`TERM=dumb ${process.execPath} ${PROGRAM} top`);
    screen.keys('Enter');
    await screen.shows('TERM=dumb');
    await screen.shows('taskroom list');
    const piped = await room.run(['top']);
    expect(piped.code).toBe(4);
    expect(piped.stderr).toContain('taskroom status');
    expect((await room.run(['top', '--json'])).code).toBe(2);
    expect(readFileSync(room.at('room.yaml'), 'utf8')).toContain('default_agent');
  });
});
