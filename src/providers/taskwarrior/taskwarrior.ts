// Taskwarrior as a task system to mirror: the person's own database on this machine, through the `task` program. A source's
// own words: which configuration, which data, and which attribute holds a task's body.
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { type Fault, optionFaults, optionsOf } from '../../core/config/config-problems.ts';
import { setting, settings } from '../../core/config/setting.ts';
import { kind } from '../../core/config/values.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { createSerialQueue } from '../../core/keyed-mutex.ts';
import { once } from '../../core/plain-data.ts';
import type { Effects } from '../../effects.ts';
import type { MissingConfig, ProviderFactory, SourceConfig } from '../provider.ts';
import { createTaskProgram, INSTALL_HINT, type Places, type TaskProgram } from './program.ts';
import { BUILT_IN, isUuid, OWN_ATTRIBUTE } from './record.ts';
import { createSource } from './source.ts';

const ATTRIBUTE = /^[a-z][a-z0-9_]{0,31}$/;
const CONTROL = /\p{Cc}/u;

const ownOptions = once(() => {
  const path = () =>
    kind(
      z.string('%s is no path').refine(isPath, '%s is no path'),
      'path',
      'an absolute path, or one after ~/',
    );
  const none = "%s can't hold a body";
  const attribute = z.string(none).refine(holdsBody, none);
  return settings({
    taskrc: setting(path(), "Configuration file; Taskwarrior's own choice when left out."),
    taskdata: setting(path(), 'Data folder; what the configuration says when left out.'),
    body: setting(
      kind(attribute, 'text', 'the name of a string attribute (UDA) of yours, such as `body`'),
      'Attribute (UDA) that holds the body; bodies stay in the room when left out.',
    ),
  });
});

function holdsBody(name: string): boolean {
  return ATTRIBUTE.test(name) && !BUILT_IN.has(name) && name !== OWN_ATTRIBUTE;
}

function isPath(text: string): boolean {
  return !CONTROL.test(text) && (isAbsolute(text) || text.startsWith('~/'));
}

function checkSource(config: SourceConfig): Fault[] {
  const { source, filter, url } = config;
  const faults: Fault[] = [];
  if (source.trim() === '' || CONTROL.test(source))
    faults.push({
      message: `${JSON.stringify(source)} is no Taskwarrior filter`,
      expected: 'a filter on one line',
      hint: 'write `status.any:` to mirror every task',
    });
  if (filter.assignee !== null)
    faults.push({ message: 'Taskwarrior tasks have no assignee', hint: 'leave out filter.assignee' });
  if (url !== null)
    faults.push({
      message: 'Taskwarrior is a program on this machine and has no url',
      hint: 'leave out url',
    });
  return [...faults, ...optionFaults(ownOptions(), config)];
}

function readOptions(config: SourceConfig, effects: Effects) {
  const { taskrc, taskdata, body } = optionsOf(ownOptions(), config);
  const path = (text: string | null) =>
    text?.startsWith('~/') ? join(homeOf(effects), text.slice(2)) : text;
  return { taskrc: path(taskrc), taskdata: path(taskdata), body };
}

const homeOf = (effects: Effects): string => effects.env.HOME || homedir();

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
    const { body, ...places } = readOptions(config, effects);
    return createSource(config, body, createTaskProgram(places, effects), effects, serially);
  },
  shortRef: (ref) => ref.slice(0, 8),
  refOfUrl(url) {
    const word = url.trim().toLowerCase();
    const uuid = word.replace(/^(?:task:)?taskwarrior:/, '');
    return isUuid(uuid) ? uuid : null;
  },
  owns: (ref) => isUuid(ref),
};

async function findMissing(config: SourceConfig, effects: Effects): Promise<MissingConfig[]> {
  const { body, ...places } = readOptions(config, effects);
  const program = createTaskProgram(places, effects);
  const lack = await findProgram(program);
  if (lack) return [lack];
  const lacks = await findPlaces(places, effects);
  if (lacks.length > 0 || body === null) return lacks;
  const type = await program.setting(`uda.${body}.type`);
  if (type === '' || type === 'string') return [];
  const set = `Set uda.${body}.type=string in the Taskwarrior configuration, or name another attribute.`;
  return [{ what: `a string attribute ${body} for bodies (it is ${type})`, set }];
}

/** Export of depends as an array, and of a report by its name, came with 2.6. */
async function findProgram(program: TaskProgram): Promise<MissingConfig | null> {
  try {
    const version = await program.version();
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const isEnough = major > 2 || (major === 2 && minor >= 6);
    return isEnough ? null : { what: `Taskwarrior 2.6 or newer (found ${version})`, set: INSTALL_HINT };
  } catch (error) {
    if (!isRoomError(error, 'unavailable')) throw error;
    return { what: `the Taskwarrior program (${error.message})`, set: INSTALL_HINT };
  }
}

/** Looked for here because the program makes an empty database where it finds none. */
async function findPlaces({ taskrc, taskdata }: Places, effects: Effects): Promise<MissingConfig[]> {
  const { env } = effects;
  const home = homeOf(effects);
  const named = taskrc ?? env.TASKRC;
  const usual = [join(home, '.taskrc'), join(env.XDG_CONFIG_HOME || join(home, '.config'), 'task', 'taskrc')];
  const data = taskdata ?? env.TASKDATA;
  const lacks: MissingConfig[] = [];
  const configs = await Promise.all((named ? [named] : usual).map(isFolder));
  if (!configs.includes(false)) {
    const what = `a Taskwarrior configuration (${named ?? usual[0]})`;
    lacks.push({ what, set: 'Run `task` once to make one, or set TASKRC to the file.' });
  }
  if (data && !(await isFolder(data))) {
    const what = `the Taskwarrior data folder ${data}`;
    lacks.push({ what, set: 'Set TASKDATA to the folder that holds the tasks.' });
  }
  return lacks;
}

/** Null where nothing is. */
async function isFolder(path: string): Promise<boolean | null> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? null;
}
