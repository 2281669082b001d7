// A Taskwarrior database as a provider. Every write reads the task again, changes what is asked and imports it whole;
// writes go one after another, so that none of ours undoes another.
import { RoomError } from '../../core/errors.ts';
import type { SerialQueue } from '../../core/keyed-mutex.ts';
import type { Effects } from '../../effects.ts';
import type { Provider, RemoteRef, SourceConfig } from '../provider.ts';
import { createDatabase, finishedOf, readAdmission } from './database.ts';
import { createDatabaseWriter } from './database-writer.ts';
import { listPages } from './listing.ts';
import { createCalendar } from './local-day.ts';
import type { TaskwarriorOptions } from './options.ts';
import { createProfile } from './profile.ts';
import { assertNotStopped, type TaskProgram } from './program.ts';
import { isUuid } from './record.ts';
import { isTemplate, type SourceSettings, silentFields, toRemoteTask } from './to-remote-task.ts';
import { createAnnotationWrites } from './write-annotations.ts';
import { createTaskWrites } from './write-tasks.ts';

export interface SourceOptions {
  config: SourceConfig;
  options: TaskwarriorOptions;
  program: TaskProgram;
  effects: Effects;
  serially: SerialQueue['add'];
}

export function createSource({ config, options, program, effects, serially }: SourceOptions): Provider {
  const calendar = createCalendar(effects.env);
  const silent = silentFields(config, options.body);
  const settings: SourceSettings = { config, calendar, bodyAttribute: options.body, silent };
  const database = createDatabase(program, settings, effects);
  const writer = createDatabaseWriter(program, database, serially);

  async function* list(cursor: string | null, signal: AbortSignal) {
    const { records } = await program.exportTasks(null, signal);
    // Asked after the export: what changes in between is listed again next time.
    const admits = await readAdmission(program, config.source, null, signal);
    const nowSecond = database.nowSecond();
    const over = finishedOf(records, nowSecond);
    const tasks = records
      .filter((record) => !isTemplate(record))
      .map((record) =>
        toRemoteTask(record, settings, { nowSecond, isFinished: over, admitted: admits(record.uuid) }),
      );
    for (const page of listPages(tasks, cursor)) {
      assertNotStopped(signal);
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
    profile: createProfile(silent),
    list,
    get,
    write: createTaskWrites(writer, database, settings),
    ...(silent.includes('comments') ? {} : { comment: createAnnotationWrites(writer, database) }),
    usage: () => ({ requests: program.runs(), notModified: 0, remaining: null, resetAt: null }),
    close: () => serially(async () => {}),
  };
}
