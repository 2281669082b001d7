// The operations as commands of the real program do what they do in the room itself, and refuse the same.
import { execFile } from 'node:child_process';
import { ERROR_CODES, type ErrorCode, RoomError } from '../../src/core/errors.ts';
import type { Client } from '../../src/operations/client.ts';
import type { BulkChange, ListFilter, NewTask } from '../../src/tasks/contract/operations.ts';
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
    ...(task.blockedBy ?? []).flatMap((ref) => ['--blocked-by', ref]),
  ];
  return [...texts, ...lists, ...(task.status === 'draft' ? ['--draft'] : [])];
}

function filterFlags({ label, owner, sprint, parent }: ListFilter): string[] {
  return Object.entries({ label, owner, sprint, parent }).flatMap(([key, value]) =>
    value === undefined ? [] : [`--${key}`, value],
  );
}

function asTyped(change: BulkChange): object {
  if (change.do !== 'create') return change;
  const { blockedBy, ...task } = change.task;
  return { ...change, task: { ...task, ...(blockedBy === undefined ? {} : { blocked_by: blockedBy }) } };
}

/** Says that the commands can't ask for that. */
function only(what: string, isAskable: boolean): void {
  if (!isAskable) throw new Lacking(what);
}

function tasksByCommand(run: Run): Partial<Client> {
  return {
    async show(ref) {
      const { steps, ...said } = await run(['show', ref]);
      return { ...said, stepList: steps.list };
    },
    create: (task) => {
      const parent = task.parent === undefined ? [] : ['--parent', task.parent];
      return run([
        'new',
        task.name,
        ...(task.body === undefined ? [] : [task.body]),
        ...flagsOf(task),
        ...parent,
      ]);
    },
    set: (ref, changes, _actor, { force } = {}) =>
      run([
        'set',
        ref,
        ...Object.entries(changes).map((pair) => pair.join('=')),
        ...(force ? ['--force'] : []),
      ]),
    setStatus(ref, status, _actor, { outcome } = {}) {
      const outcomes = outcome === undefined ? [] : ['--outcome', outcome];
      if (status === 'done') return run(['done', ref, ...outcomes]);
      return status === 'todo' ? run(['reopen', ref]) : run(['cancel', ref]);
    },
    remove: (ref) => run(['delete', ref]),
    call: byName({
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
      removeResource: ({ ref, index }) => run(['resource', ref, '--remove', String(index)]),
    }),
    createSubtask(parent, task, _actor, step) {
      only('another parent', task.parent === undefined);
      const text = task.body === undefined ? [] : ['--text', task.body];
      const at = step === undefined ? [] : ['--step', String(step + 1)];
      return run(['sub', parent, task.name, ...text, ...flagsOf(task), ...at]);
    },
    bulk: async (changes) => (await run(['bulk'], JSON.stringify(changes.map(asTyped)))).tasks,
    completeAll: async (filter) => (await run(['done', '--all', ...filterFlags(filter)])).tasks,
    removeAll: async (which, filter) => (await run(['delete', `--${which}`, ...filterFlags(filter)])).tasks,
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
