// Real rooms in temporary folders for tests of whole commands.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOMS } from '../../src/bin/bin-rooms.ts';
import { runCli } from '../../src/cli/main.ts';
import { initRoom } from '../../src/tasks/room/init-room.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { createFakeTerminal, type FakeOptions, type FakeTerminal } from './fake-terminal.ts';

export interface RoomFolder {
  dir: string;
  at(relative: string): string;
  /** Writes a task file. */
  put(name: string, text: string): void;
  /** Runs a command in the room to its end. */
  run(
    argv: readonly string[],
    options?: FakeOptions,
    // biome-ignore lint/suspicious/noExplicitAny: tests look into what was parsed
  ): Promise<{ code: number; out: string; err: string; json: () => any }>;
  /** Starts a command and hands out its terminal at once. */
  start(argv: readonly string[], options?: FakeOptions): { terminal: FakeTerminal; ended: Promise<number> };
}

/** An empty room with short settle time, removed when the test ends. */
export function makeRoom(): RoomFolder {
  const dir = tempFolder('taskroom-cli');
  initRoom(dir, { agent: 'runbook', preset: null, project: {}, isSaid: false });
  writeFileSync(path.join(dir, 'room.yaml'), 'settle: 0\n');
  const start: RoomFolder['start'] = (argv, options = {}) => {
    const terminal = createFakeTerminal({
      cwd: dir,
      ...options,
      env: { PATH: process.env.PATH ?? '', ...options.env },
    });
    return { terminal, ended: runCli(argv, terminal, ROOMS) };
  };
  return {
    dir,
    at: (relative) => path.join(dir, relative),
    put: (name, text) => writeFileSync(path.join(dir, 'tasks', `${name}.md`), text),
    start,
    async run(argv, options) {
      const { terminal, ended } = start(argv, options);
      const code = await ended;
      return { code, out: terminal.out(), err: terminal.err(), json: () => JSON.parse(terminal.out()) };
    },
  };
}
