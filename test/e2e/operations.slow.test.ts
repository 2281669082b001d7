// The operations as commands of the real program do what they do in the room itself, and refuse the same.
import { execFile } from 'node:child_process';
import { ERROR_CODES, type ErrorCode, RoomError } from '../../src/core/errors.ts';
import type { Client } from '../../src/operations/client.ts';
import type { NewTask } from '../../src/tasks/shapes/change.ts';
import type { ListFilter } from '../../src/tasks/shapes/task.ts';
import { byName, Lacking, seedRoom, testOperations } from '../conformance/operations.ts';
import { openTestRoom, PERSON } from '../tasks/test-room.ts';
import { buildProgram, PROGRAM } from './room.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a command prints is compared with what the operation answers
type Json = any;
type Run = (args: readonly string[], input?: string) => Promise<Json>;

function commandsOf(dir: string): Run {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'test' };
  return (args, input = '') =>
    new Promise((resolve, reject) => {
      const argv = [PROGRAM, ...args, '--room', dir, '--json'];
      const child = execFile(process.execPath, argv, { env }, (error, stdout, stderr) => {
        if (error === null) return resolve(stdout.trim() === '' ? null : JSON.parse(stdout));
        const said = JSON.parse(stderr).error as { code: ErrorCode; message: string };
        if (!ERROR_CODES.includes(said.code)) return reject(error);
        reject(new RoomError(said.code, said.message));
      });
      child.stdin?.end(input);
    });
}

const FLAGS = { title: '--title', owner: '--owner', priority: '--priority', sprint: '--sprint' } as const;

function flagsOf(task: NewTask): string[] {
  const texts = Object.entries(FLAGS).flatMap(([key, flag]) => {
    const value = task[key as keyof typeof FLAGS];
    return value === undefined ? [] : [flag, value];
  });
  const lists = [
    ...(task.labels ?? []).flatMap((label) => ['--label', label]),
    ...(task.blocked_by ?? []).flatMap((ref) => ['--blocked-by', ref]),
  ];
  return [...texts, ...lists, ...(task.status === 'draft' ? ['--draft'] : [])];
}

function filterFlags({ label, owner, sprint, parent }: ListFilter): string[] {
  return Object.entries({ label, owner, sprint, parent }).flatMap(([key, value]) =>
    value === undefined ? [] : [`--${key}`, value],
  );
}

/** Says that the commands can't ask for that. */
function only(what: string, isAskable: boolean): void {
  if (!isAskable) throw new Lacking(what);
}

function tasksByCommand(run: Run): Partial<Client> {
  return {
    call: byName({
      create: (task) => {
        const parent = task.parent === undefined ? [] : ['--parent', task.parent];
        const text = task.description === undefined ? [] : [task.description];
        return run(['new', task.name!, ...text, ...flagsOf(task as NewTask), ...parent]);
      },
      set: ({ ref, keys = {}, force, ...rest }) => {
        only('such a change', Object.keys(rest).length === 0);
        const pairs = Object.entries(keys).map((pair) => pair.join('='));
        return run(['set', ref, ...pairs, ...(force ? ['--force'] : [])]);
      },
      complete: ({ ref, outcome }) =>
        run(['done', ref, ...(outcome === undefined ? [] : ['--outcome', outcome])]),
      cancel: ({ ref }) => run(['cancel', ref]),
      reopen: ({ ref }) => run(['reopen', ref]),
      remove: ({ ref }) => run(['delete', ref]),
      async createSubtask({ ref, index, ...task }) {
        only('another parent', task.parent === undefined);
        const text = task.description === undefined ? [] : ['--text', task.description];
        const at = index === undefined ? [] : ['--step', String(index + 1)];
        return run(['sub', ref, task.name!, ...text, ...flagsOf(task as NewTask), ...at]);
      },
      bulk: ({ changes }) => run(['bulk'], JSON.stringify(changes)),
      completeAll: (filter) => run(['done', '--all', ...filterFlags(filter as ListFilter)]),
      removeAll: ({ which, ...filter }) =>
        run(['delete', `--${which}`, ...filterFlags(filter as ListFilter)]),
      show: ({ ref }) => run(['show', ref]),
      describe: ({ ref, text }) => run(['describe', ref, text]),
      pause: ({ ref, reason }) => run(['pause', ref, ...(reason === undefined ? [] : ['--reason', reason])]),
      resume: ({ ref }) => run(['resume', ref]),
      archive: ({ ref }) => run(['archive', ref]),
      comment: ({ ref, text }) => run(['comment', ref, text]),
      async progress({ ref, text, key }) {
        only('key of an entry', key === undefined);
        return run(['progress', ref, text]);
      },
      outcome: ({ ref, text }) => run(['outcome', ref, text]),
      async editStep({ ref, index, title, details, done }) {
        const rewrites = title !== undefined || details !== undefined;
        only('such a change of a step', rewrites ? done === undefined : done !== undefined);
        const words = [
          ...(title === undefined ? [] : ['--title', title]),
          ...(details === undefined ? [] : ['--details', details]),
          ...(done === false ? ['--undo'] : []),
        ];
        return run(['step', ref, String(index + 1), ...words]);
      },
      async addStep({ ref, title, details }) {
        only('details of a new step', details === undefined);
        return run(['step', ref, '--add', title]);
      },
      block: ({ ref, by }) => run(['block', ref, by]),
      unblock: ({ ref, by }) => run(['unblock', ref, by]),
      async addResource({ ref, kind, value, label = null }) {
        only('a kind that does not show', (kind === 'url') === value.includes('://'));
        return run(['resource', ref, '--add', value, ...(label === null ? [] : ['--label', label])]);
      },
      removeResource: ({ ref, index }) => run(['resource', ref, '--remove', String(index + 1)]),
    }),
  };
}

testOperations({
  answers: 'outcome',
  open: async () => {
    buildProgram();
    const room = openTestRoom();
    seedRoom(room);
    return { room, actor: PERSON, tasks: tasksByCommand(commandsOf(room.dir)), close: () => room.close() };
  },
});
