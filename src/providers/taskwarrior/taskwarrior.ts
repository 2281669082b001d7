// Taskwarrior as a task system to mirror: the person's own database on this machine, through the `task` program.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { createSerialQueue } from '../../core/keyed-mutex.ts';
import type { Effects } from '../../effects.ts';
import type { MissingConfig, ProviderFactory, SourceConfig } from '../provider.ts';
import { checkSource, homeOf, readOptions } from './options.ts';
import { createTaskProgram, INSTALL_HINT, type TaskProgram } from './program.ts';
import { isUuid } from './record.ts';
import { createSource } from './source.ts';

/** Export of depends as an array, and of a report by its name, came with it. */
const OLDEST = [2, 6] as const;

// One for all sources of this process: two of them may hold the same task.
const serially = createSerialQueue().add;

export const taskwarriorFactory: ProviderFactory = {
  name: 'taskwarrior',
  secrets: [],
  check: checkSource,
  missing: findMissing,
  async open(config, effects) {
    const [fault] = checkSource(config);
    if (fault) throw new RoomError('bad_input', fault.message, fault.hint ? { hint: fault.hint } : {});
    const [lack] = await findMissing(config, effects);
    if (lack) throw new RoomError('unavailable', `${lack.what} is missing`, { hint: lack.set });
    const options = readOptions(config, effects);
    const program = createTaskProgram(options, effects);
    return createSource({ config, options, program, effects, serially });
  },
  shortRef: (ref) => ref.slice(0, 8),
  refOfUrl(url) {
    const uuid = url
      .trim()
      .toLowerCase()
      .replace(/^(?:task:)?taskwarrior:/, '');
    return isUuid(uuid) ? uuid : null;
  },
  owns: (ref) => isUuid(ref),
};

async function findMissing(config: SourceConfig, effects: Effects): Promise<MissingConfig[]> {
  const options = readOptions(config, effects);
  const program = createTaskProgram(options, effects);
  const lack = await findProgram(program);
  if (lack) return [lack];
  const places = await findPlaces(options, effects);
  if (places.length > 0 || options.body === null) return places;
  const type = await program.setting(`uda.${options.body}.type`);
  if (type === '' || type === 'string') return [];
  return [
    {
      what: `a string attribute ${options.body} for bodies (it is ${type})`,
      set: `Set uda.${options.body}.type=string in the Taskwarrior configuration, or name another attribute.`,
    },
  ];
}

async function findProgram(program: TaskProgram): Promise<MissingConfig | null> {
  let version: string;
  try {
    version = await program.version();
  } catch (error) {
    if (!isRoomError(error, 'unavailable')) throw error;
    return { what: `the Taskwarrior program (${error.message})`, set: INSTALL_HINT };
  }
  const [major, minor] = version.split('.').map(Number);
  const isEnough = major! > OLDEST[0] || (major === OLDEST[0] && minor! >= OLDEST[1]);
  return isEnough ? null : { what: `Taskwarrior 2.6 or newer (found ${version})`, set: INSTALL_HINT };
}

/** Looked for here because the program makes an empty database where it finds none. */
async function findPlaces(
  { taskrc, taskdata }: ReturnType<typeof readOptions>,
  effects: Effects,
): Promise<MissingConfig[]> {
  const { env } = effects;
  const home = homeOf(effects);
  const named = taskrc ?? env.TASKRC;
  const usual = [join(home, '.taskrc'), join(env.XDG_CONFIG_HOME || join(home, '.config'), 'task', 'taskrc')];
  const data = taskdata ?? env.TASKDATA;
  const lacks: MissingConfig[] = [];
  if (!(await anyIs('file', named ? [named] : usual))) {
    const what = `a Taskwarrior configuration (${named ?? usual[0]})`;
    lacks.push({ what, set: 'Run `task` once to make one, or set TASKRC to the file.' });
  }
  if (data && !(await anyIs('folder', [data]))) {
    lacks.push({
      what: `the Taskwarrior data folder ${data}`,
      set: 'Set TASKDATA to the folder that holds the tasks.',
    });
  }
  return lacks;
}

async function anyIs(kind: 'file' | 'folder', paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (found !== null && found.isDirectory() === (kind === 'folder')) return true;
  }
  return false;
}
