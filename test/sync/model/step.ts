// What one step of the model-based test is: plain data, and what a person does with it.
import type { World } from './world.ts';

export interface Step {
  kind: string;
  /** Which file or issue, counted through. */
  a: number;
  /** Which part of it. */
  b: number;
  /** Which way. */
  c: number;
  /** A sync follows. */
  sync: boolean;
}

/** Something a person does in one moment. */
export type Act = (world: World, step: Step) => void;
