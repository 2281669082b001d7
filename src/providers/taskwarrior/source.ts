// A Taskwarrior database as a provider. Every write reads the task again, changes what is asked and imports it whole;
// writes go one after another, so that none of ours undoes another.
import { FIELDS } from '../../core/chore/chore.ts';
import { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { Profile, Provider, RemoteRef, SourceConfig } from '../provider.ts';
import { createDatabase, finishedOf, readAdmission } from './database.ts';
import { listPages } from './listing.ts';
import { createCalendar } from './local-day.ts';
import type { TaskwarriorOptions } from './options.ts';
import type { TaskProgram } from './program.ts';
import { isUuid } from './record.ts';
import { isTemplate, type Reading, silentFields, toRemoteTask } from './to-remote-task.ts';
import { createWriting, type InTurn } from './write-tasks.ts';

const LIMITS = { title: 1000, body: 250_000, comment: 65_536 };

export interface SourceOptions {
  config: SourceConfig;
  options: TaskwarriorOptions;
  program: TaskProgram;
  effects: Effects;
  inTurn: InTurn;
}

export function createSource({ config, options, program, effects, inTurn }: SourceOptions): Provider {
  const calendar = createCalendar(effects.env);
  const silent = silentFields(config, options.body);
  const reading: Reading = { config, calendar, bodyAttribute: options.body, silent };
  const profile = createProfile(reading);
  const database = createDatabase(program, reading, effects);
  const writing = createWriting({ program, database, reading, profile, inTurn });

  async function* list(cursor: string | null, signal: AbortSignal) {
    const { records } = await program.exportTasks(null, signal);
    // Asked after the export: what changes in between is listed again next time.
    const admits = await readAdmission(program, config.source, null, signal);
    const nowSecond = database.nowSecond();
    const over = finishedOf(records, nowSecond);
    const tasks = records
      .filter((record) => !isTemplate(record))
      .map((record) =>
        toRemoteTask(record, reading, { nowSecond, isFinished: over, admitted: admits(record.uuid) }),
      );
    for (const page of listPages(tasks, cursor)) {
      if (signal.aborted) throw new RoomError('interrupted', 'stopped', { cause: signal.reason });
      yield page;
    }
  }

  async function get(refs: readonly RemoteRef[], signal: AbortSignal) {
    const bad = refs.find((ref) => !isUuid(ref));
    if (bad !== undefined)
      throw new RoomError('bad_input', `${JSON.stringify(bad)} is not a Taskwarrior UUID`);
    const found = await database.find(refs, signal);
    return new Map([...found].map(([uuid, { task }]) => [uuid, task]));
  }

  return {
    name: 'taskwarrior',
    profile,
    list,
    get,
    write: writing.write,
    ...(silent.includes('comments') ? {} : { comment: writing.comment }),
    usage: () => ({ requests: program.runs(), notModified: 0, remaining: null, resetAt: null }),
    close: () => inTurn(async () => {}),
  };
}

function createProfile({ silent }: Reading): Profile {
  return {
    limits: LIMITS,
    writable: FIELDS.filter((field) => !silent.includes(field)),
    // The data file of 2.6 writes brackets as `&open;` and `&close;`, and reads a typed one as a bracket.
    normalise: (text) =>
      text
        .replace(/\r\n?/g, '\n')
        .replaceAll('&open;', '[')
        .replaceAll('&close;', ']')
        .replaceAll('\0', '\ufffd')
        .toWellFormed(),
    classOf: (status) => status,
    trustedRoles: [],
    remote: false,
  };
}
