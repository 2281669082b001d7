// A Taskwarrior database of its own in a temporary folder, driven by the real program as a person drives it. Installs
// the Debian package where the program is missing; where it can't, the tests are skipped and say so.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeEffects } from '../../../src/node.ts';
import type { SourceConfig } from '../../../src/providers/provider.ts';
import { parseExport } from '../../../src/providers/taskwarrior/record.ts';
import { hasProgram } from '../../support/debian-package.ts';
import { sourceConfig } from '../../support/mirror-config.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const PROGRAM = 'task';

export const hasTaskwarrior = hasProgram(PROGRAM, '--version', 'taskwarrior');

export type PersonDatabase = ReturnType<typeof createPersonDatabase>;

/**
 * @param rcText More lines of the person's configuration.
 * @param env More of the environment; `TZ` say.
 */
export function createPersonDatabase(rcText = '', env: Record<string, string> = {}) {
  const dir = tempFolder('taskroom-taskwarrior');
  const [data, rc] = [join(dir, 'data'), join(dir, 'taskrc')];
  mkdirSync(data);
  writeFileSync(rc, `confirmation=off\nbulk=0\nrecurrence.confirmation=no\n${rcText}`);
  const vars = { PATH: process.env.PATH ?? '', HOME: dir, TASKRC: rc, TASKDATA: data, TZ: 'UTC', ...env };

  function run(args: readonly string[], input = ''): string {
    const result = spawnSync(PROGRAM, args, { env: vars, input, encoding: 'utf8' });
    if (result.status === 0) return result.stdout;
    throw new Error(`task ${args.join(' ')}: ${result.stderr || result.signal || result.status}`);
  }

  return {
    dir,
    data,
    rc,
    effects: createNodeEffects(vars),
    /** Runs `task` with these words, as a person types them; its output. */
    task: (...args: string[]) => run(args),
    /** The whole database, or what a filter lets in, exactly as it stands. */
    records: (...filter: string[]) =>
      parseExport(run(['rc.verbose=nothing', 'rc.hooks=off', ...filter, 'export'])),
    put: (records: readonly object[]) => void run(['rc.hooks=off', 'import', '-'], JSON.stringify(records)),
    config: (change?: Partial<SourceConfig>) => sourceConfig('status.any:', change),
    /** Gives a task another `modified`, in the data files themselves: the program only knows the present. */
    backdate(uuid: string, second: number) {
      for (const path of [join(data, 'pending.data'), join(data, 'completed.data')]) {
        const lines = readFileSync(path, 'utf8').split('\n');
        const dated = lines.map((line) =>
          line.includes(`uuid:"${uuid}"`) ? line.replace(/ modified:"\d+"/, ` modified:"${second}"`) : line,
        );
        writeFileSync(path, dated.join('\n'));
      }
    },
  };
}
