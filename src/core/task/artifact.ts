// What a file in artifacts/ says, as far as tasks are made of it: a document with `type: plan` has a stage and steps, and
// at the stage `final` its steps become tasks. Read like a task's file; its other keys and its text are its author's.
import { parseDocument } from '../document/document.ts';
import type { ReadingOf } from '../errors.ts';
import { readPlanSteps } from './body/steps.ts';
import { type FileKeys, readText } from './key-kinds.ts';
import { nameOfPath } from './names.ts';
import type { Step } from './task.ts';

export const STEPS_HINT = 'write them as a list under "## Steps", each as "- [ ] title"';
export const FINAL_STAGE = 'final';
export const FIRST_STAGE = 'draft';

export interface Artifact {
  path: string; // Path inside the room: `artifacts/Sign-in.md`.
  name: string; // File name without `.md`: what `artifact:` of a task names.
  title: string | null;
  type: string | null; // `plan`, or whatever else its author calls it; null where it says nothing.
  stage: string;
  owner: string | null;
  sprint: string | null;
  scope: string | null;
  createdBy: string | null;
  steps: Step[];
}

export type ArtifactReading = ReadingOf<{ artifact: Artifact }>;

/** @param text the whole file, BOM included */
export function readArtifact(path: string, text: string): ArtifactReading {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) return { ok: false, problems: parsed.problems };
  const keys: FileKeys = { doc: parsed.doc, path, problems: [] };
  const steps = readPlanSteps(text.slice(parsed.doc.bodyStart));
  const artifact: Artifact = {
    path,
    name: nameOfPath(path),
    title: readText(keys, 'title'),
    type: readText(keys, 'type'),
    stage: readText(keys, 'stage') ?? FIRST_STAGE,
    owner: readText(keys, 'owner'),
    sprint: readText(keys, 'sprint'),
    scope: readText(keys, 'scope'),
    createdBy: readText(keys, 'created_by'),
    steps: steps.map(({ title, details, done, task }) => ({ title, details, done, task })),
  };
  return keys.problems.length > 0 ? { ok: false, problems: keys.problems } : { ok: true, artifact };
}

export const isPlan = ({ type }: Pick<Artifact, 'type'>) => type?.trim().toLowerCase() === 'plan';
export const isFinal = ({ stage }: Pick<Artifact, 'stage'>) => stage.trim().toLowerCase() === FINAL_STAGE;

export interface StepToMake {
  index: number;
  step: Step;
  /** Stays the same as long as the step keeps its title: the number among steps of that title, and the title. */
  key: string;
}

export function stepsToMake(steps: readonly Step[]): StepToMake[] {
  const seen = new Map<string, number>();
  return steps.flatMap((step, index) => {
    const nth = (seen.get(step.title) ?? 0) + 1;
    seen.set(step.title, nth);
    if (step.task !== null || step.done || step.title === '') return [];
    return [{ index, step, key: `${nth} ${step.title}` }];
  });
}
