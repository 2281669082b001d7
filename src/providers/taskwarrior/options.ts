// A source's own words for Taskwarrior: which configuration, which data, and which attribute holds a task's body.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { type Fault, optionFaults, optionsOf } from '../../core/config/config-problems.ts';
import { setting, settings } from '../../core/config/setting.ts';
import { kind } from '../../core/config/values.ts';
import { once } from '../../core/once.ts';
import type { Effects } from '../../effects.ts';
import type { SourceConfig } from '../provider.ts';
import { BUILT_IN, OWN_ATTRIBUTE } from './record.ts';

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
export type TaskwarriorOptions = z.output<ReturnType<typeof ownOptions>>;

/** Everything that is wrong with the source's words. */
export function checkSource(config: SourceConfig): Fault[] {
  const { source, filter, url } = config;
  const faults: Fault[] = [];
  if (source.trim() === '' || CONTROL.test(source)) {
    faults.push({
      message: `${JSON.stringify(source)} is no Taskwarrior filter`,
      expected: 'a filter on one line',
      hint: 'write `status.any:` to mirror every task',
    });
  }
  if (filter.assignee !== null) {
    faults.push({ message: 'Taskwarrior tasks have no assignee', hint: 'leave out filter.assignee' });
  }
  if (url !== null) {
    faults.push({
      message: 'Taskwarrior is a program on this machine and has no url',
      hint: 'leave out url',
    });
  }
  return [...faults, ...optionFaults(ownOptions(), config)];
}

function holdsBody(name: string): boolean {
  return ATTRIBUTE.test(name) && !BUILT_IN.has(name) && name !== OWN_ATTRIBUTE;
}

function isPath(text: string): boolean {
  return !CONTROL.test(text) && (isAbsolute(text) || text.startsWith('~/'));
}

export function readOptions(config: SourceConfig, effects: Effects): TaskwarriorOptions {
  const { taskrc, taskdata, body } = optionsOf(ownOptions(), config);
  const path = (text: string | null): string | null =>
    text?.startsWith('~/') ? join(homeOf(effects), text.slice(2)) : text;
  return { taskrc: path(taskrc), taskdata: path(taskdata), body };
}

export function homeOf(effects: Effects): string {
  return effects.env.HOME || homedir();
}
