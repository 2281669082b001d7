// Parts of tools' inputs that several have.
import * as z from 'zod';
import { status as statusWord } from '../../core/shapes.ts';

export const text = z.string();
export const texts = z.array(z.string());
export const flag = z.boolean();
export const offset = z.int().min(0);

/** Of a task: in a turn its own is meant when it is left out. */
export const id = z.string().optional();

export const status = statusWord();

/** Without what was left out: an operation refuses members that are undefined. */
export function given<Input extends object>(
  input: Input,
): { [Key in keyof Input]: Exclude<Input[Key], undefined> } {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as never;
}
