// Every key of the table that the board and `top` share, pressed in a real terminal.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyOf, PERSON_ACTIONS, type PersonAction } from '../../src/core/person-keys.ts';
import type { Daemon } from '../e2e/daemon.ts';
import { createRoom, type E2eRoom, PROGRAM, until } from '../e2e/room.ts';
import { hasTmux, openTmux, type TmuxScreen } from './tmux-screen.ts';

let room: E2eRoom;
let screen: TmuxScreen;
let daemon: Daemon;

describe.skipIf(!hasTmux())('keys of taskroom top', () => {
  beforeAll(async () => {
    room = await createRoom();
    room.agent('asker', { command: ['/bin/sh', '-c', "taskroom ask 'Tea or coffee?'"] });
    daemon = await room.up();
    const env = { PATH: process.env.PATH!, AGENT_ROOM: room.dir, EDITOR: 'echo Edited. >>', PS1: 'shell> ' };
    screen = openTmux(env);
  });
  afterAll(async () => {
    screen?.close();
    daemon?.signal('SIGTERM');
    await room?.close();
  });

  test.each([
    [80, 24, 'narrow'],
    [120, 40, 'wide'],
  ])(
    'every key of the table does what it says at %d by %d',
    async (columns, rows, screenName) => {
      screen.resize(columns, rows);
      screen.type(`clear; ${process.execPath} ${PROGRAM} top`);
      screen.keys('Enter');
      await screen.shows('● live');
      const [keys, asks, runs] = ['Keys', 'Asks', 'Runs'].map((word) => `${word} ${screenName}`);
      const pressed = new Set<PersonAction>();
      const press = (action: PersonAction) => {
        pressed.add(action);
        screen.keys(keyOf(action).key);
      };
      const narrow = (words: string) => {
        press('search');
        screen.keys('C-u');
        screen.type(words);
        screen.keys('Enter', 'Home');
      };
      const confirm = async (action: PersonAction) => {
        press(action);
        await screen.shows(`${keyOf(action).asks}: `);
        screen.keys('y');
      };
      const says = (name: string, text: string) =>
        until(`${name} says ${text}`, () => room.read(`tasks/${name}.md`).includes(text));
      room.save(`tasks/${asks}.md`, '---\nstatus: draft\nowner: asker\n---\nAsk.\n');
      narrow(screenName);
      await screen.shows(`› ✎ ${asks}`);
      room.save(`tasks/${keys}.md`, `---\nstatus: draft\ntitle: Titled ${screenName}\n---\nTry.\n`);
      await screen.shows(`  ✎ Titled ${screenName}`);
      press('next');
      await screen.shows(`› ✎ Titled ${screenName}`);
      press('previous');
      await screen.shows(`› ✎ ${asks}`);
      press('todo');
      await screen.shows('Tea or coffee?');
      narrow(asks!);
      press('answer');
      await screen.shows('coffee? ›');
      screen.type('Tea.');
      screen.keys('Enter');
      await says(asks!, 'Tea.');
      narrow(keys!);
      await screen.shows(`› ✎ Titled ${screenName}`);
      await says(keys!, 'id:');
      press('priority');
      await says(keys!, 'priority: high');
      press('comment');
      await screen.shows('comment on');
      screen.type('Seen.');
      screen.keys('Enter');
      await says(keys!, '> Seen.');
      press('pause');
      await says(keys!, 'paused: true');
      press('edit');
      await says(keys!, 'Edited.');
      await screen.shows(`Titled ${screenName}`);
      press('file');
      await screen.shows('Try.');
      await screen.leaves('Try.');
      await confirm('done');
      await says(keys!, 'status: done');
      await confirm('delete');
      await screen.shows('is deleted');

      room.gate(runs!);
      room.save(`tasks/${runs}.md`, '---\nstatus: todo\n---\nRun.\n');
      narrow(runs!);
      await screen.shows(/Running +1/);
      room.open(runs!, 'taskroom progress ok');
      await screen.hides(/Running +1/);
      press('run');
      await screen.shows(/Running +1/);
      press('open');
      await screen.shows('@gate  running');
      await screen.leaves('@gate  running');
      await confirm('stop');
      await screen.hides(/Running +1/);
      await confirm('cancel');
      await says(runs!, 'status: canceled');
      await screen.hides('◐');
      press('finished');
      await screen.shows(`✗ ${runs}`);
      press('clear');
      await screen.hides(`✗ ${runs}`);
      pressed.add('back');
      await screen.leaves(`/ ${runs}`);

      press('new');
      await screen.shows('new task:');
      screen.type(`Made ${screenName}`);
      screen.keys('Enter');
      await screen.shows(`tasks/Made ${screenName}.md is written`);
      press('filter');
      screen.type('status:draft');
      screen.keys('Enter');
      await screen.shows('filter status:draft');
      await screen.leaves('filter status:draft');
      press('help');
      const ours = PERSON_ACTIONS.filter((action) => keyOf(action).only !== 'board');
      const help = await screen.shows('quit: the room goes on');
      for (const action of ours) expect(help).toMatch(new RegExp(` [${keyOf(action).key}]+ +\\S`));
      screen.keys('q');
      await screen.shows('1 Room');
      press('quit');
      await screen.shows('shell>');
      expect([...pressed].sort()).toEqual(ours.sort());
    },
    120_000,
  );

  test.each([
    ['its colour', '\u001b]11;rgb:0000/0000/0000\u001b\\'],
    ['a title', '\u001b]0;Xdr\u0007'],
    ['what it is', '\u001b[?62;22;52c'],
    ['its name', '\u001bP>|tmux 3.5npr\u001b\\'],
    ['a key of another protocol', '\u001b[57441;1:3u'],
    ['a click', '\u001b[<0;10;10M'],
  ])('what a terminal says by itself, such as %s, presses no key', async (_what, said) => {
    room.save('tasks/Left alone.md', '---\nstatus: draft\n---\nRest.\n');
    screen.type(`clear; ${process.execPath} ${PROGRAM} top`);
    screen.keys('Enter');
    await screen.shows('Left alone');
    screen.type(`${said}/`);
    screen.type('Left');
    screen.keys('Enter');
    await screen.shows(/\/ Left$/m);
    await screen.leaves('/ Left');
    screen.keys('q');
    await screen.shows('shell>');
    expect(room.read('tasks/Left alone.md')).toContain('status: draft');
  });
});
