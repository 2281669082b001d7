// Real rooms in temporary folders for tests of whole commands.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOMS } from '../../src/bin/bin-rooms.ts';
import { runCli } from '../../src/cli/main.ts';
import { initRoom } from '../../src/tasks/room/init-room.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { createFakeTerminal, type FakeOptions } from './fake-terminal.ts';

export type RoomFolder = ReturnType<typeof makeRoom>;

/** An empty room with short settle time, removed when the test ends. */
export function makeRoom() {
  const dir = tempFolder('taskroom-cli');
  initRoom(dir, { agent: 'runbook', preset: null, project: {}, isSaid: false });
  writeFileSync(path.join(dir, 'room.yaml'), 'settle: 0\n');
  const start = (argv: readonly string[], options: FakeOptions = {}) => {
    const terminal = createFakeTerminal({
      cwd: dir,
      ...options,
      env: { PATH: process.env.PATH ?? '', ...options.env },
    });
    return { terminal, ended: runCli(argv, terminal, ROOMS) };
  };
  return {
    dir,
    at: (relative: string) => path.join(dir, relative),
    /** Writes a task file. */
    put: (name: string, text: string) => writeFileSync(path.join(dir, 'tasks', `${name}.md`), text),
    /** Starts a command and hands out its terminal at once. */
    start,
    /** Runs a command in the room to its end. */
    async run(argv: readonly string[], options?: FakeOptions) {
      const { terminal, ended } = start(argv, options);
      const code = await ended;
      const [out, err] = [terminal.out(), terminal.err()];
      // biome-ignore lint/suspicious/noExplicitAny: tests look into what was parsed
      return { code, out, err, json: (): any => JSON.parse(out) };
    },
  };
}
