// An operation: one value in a file of its own, from which every face makes what it needs.
import * as z from 'zod';
import type { SyncProgress } from '../core/chore-shapes.ts';
import type { Level } from '../core/rules/access.ts';
import { isFinished, type OwnStatuses, readStatus } from '../core/task/status.ts';
import { changedAnswer } from '../tasks/shapes/change.ts';
import type { Actor, RoomHandle } from '../tasks/task-room.ts';

export * as z from 'zod';

// What the files of operations are written with.
export * from '../core/shapes.ts';

/** The right that a caller needs. `person`: only the person has it; `runtime`: no caller from outside has it. */
export type Needs = 'read' | 'write' | 'comment' | 'create' | 'person' | 'runtime';

/** Its address over HTTP. Inputs named in braces come from the path, all others from query or body. */
export interface HttpPlace {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  path: string;
  status?: 201 | 202; // 200 when absent.
  also?: string; // A second path of the same method.
  /** The input that `If-Match` gives: only that text is changed, and the answer is the task with its ETag. */
  guard?: string;
  given?: Readonly<Record<string, true>>; // Inputs that the address sets unless the caller says false.
  location?: string; // The `Location` of what was made; members of the answer fill its braces.
}

/** What one printed line is about: each task, where the output has several. */
type ChangeOf<Output> = Output extends { tasks: readonly (infer Each)[] } ? Each : Output;

export interface CommandForm<Output = never> {
  command?: string; // `pause`, or with its action `scope new`; the name of the operation when absent.
  /** Inputs that are given as words, in order; `ref` when absent, if the operation needs one. `ref...` runs it once for each
   * word that follows, `text+` takes all of them as one text and is an option, too. A word `text` is read from stdin for `-`. */
  words?: readonly string[];
  aliases?: readonly string[]; // Old names of this command, such as `history`: they work and are not listed.
  hidden?: true; // It works and is not listed.
  /** Replaces the texts of the operation. Of a command with actions, one form has the texts of all. */
  about?: readonly [summary: string, about: string];
  examples?: Readonly<Record<string, string>>; // Command lines with what they do.
  notes?: string;
  given?: Readonly<Record<string, unknown>>; // Inputs that this form sets.
  /** Flags that differ from `--name <name>`; null hides the input. A text input whose flag has no value gets the flag's name. */
  flags?: Readonly<Record<string, string | null>>;
  meant?: Readonly<Record<string, unknown>>; // Defaults.
  only?: readonly string[]; // The only inputs that it offers beside its words.
  /** The flag that chooses this form, in a command without actions; with its text where it is no input. */
  flag?: readonly [name: string, about?: string];
  input?: string; // The input that is read as JSON from stdin.
  /** Flags that set inputs: `draft` sets a status. */
  switches?: Readonly<Record<string, { about: string; given: Readonly<Record<string, unknown>> }>>;
  needed?: readonly string[]; // Inputs that are optional in the operation and required here.
  fromOne?: readonly string[]; // Inputs that count from 1 on the command line.
  stdin?: readonly string[]; // Further inputs that are read from stdin for `-`.
  /** What is asked on a terminal before anything is done, unless `--yes` is given; an input `dry_run` tells first what would be done. */
  asks?: string;
  /** Printed after the name of the changed task. */
  done?: string | ((output: ChangeOf<Output>, input: never, nowMs: number) => string);
  /** It asks a tracker: the daemon of this machine does it where this shell lacks the token. */
  asksTracker?: true;
  /** The exit code for an output whose member is false or null. */
  exit?: readonly [member: string, code: number];
  /** The lines that are printed; without `done` and `said` the command has a view. */
  said?(output: Output): readonly string[];
  /** Calls that follow once the person was shown the output. */
  shown?(output: Output): readonly { name: string; input: object }[];
}

export interface Passing {
  signal?: AbortSignal;
  onProgress?(progress: SyncProgress): void; // For a caller in the same process.
}

export interface ToolForm<Output = never> {
  name: string; // In snake_case.
  about?: string; // The summary when absent.
  names?: Readonly<Record<string, string>>; // Inputs that the tool calls by another name.
  given?: Readonly<Record<string, unknown>>; // Defaults.
  needed?: readonly string[]; // Inputs for which the turn's own task is no default.
  shown?: Readonly<Record<string, () => z.ZodType>>; // Schemas to show in the place of wider ones.
  without?: readonly string[]; // Inputs that are accepted and not shown.
  only?: readonly string[]; // The only inputs that are shown.
  afterwards?: string; // Added to each answer.
  said?(output: Output): string; // The answer; JSON when absent.
  programs?: true; // Only for callers that may run programs.
  destructive?: true; // It may delete, though its operation is no deletion.
}

export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  name: string; // As its file, in camelCase; unique.
  summary: string; // One line, without a capital and a full stop.
  about?: string;
  needs: Needs;
  outsideTurns?: true; // No agent may call it inside its turn.
  /** The least access of an agent that may call it, by the room's own statuses where that matters. */
  level: Level | ((input: z.output<Input>, own: OwnStatuses) => Level);
  /** Refused while nothing runs the room, as reads are, in the place of being carried out later. */
  atOnce?: true;
  http: HttpPlace | null;
  cli: readonly CommandForm<z.output<Output>>[];
  tool: ToolForm<z.output<Output>> | null;
  input(): Input; // A function, because a small command parses nothing and loads no schema.
  output(): Output; // The JSON of every face: keys in snake_case, times in ISO 8601.
  /** Loads its code when called. */
  run(on: RoomHandle, input: z.output<Input>, actor: Actor, passing?: Passing): Promise<z.output<Output>>;
}

/** Inputs for programs: neither commands nor tools show the idempotency key and the hash of the text to change. */
export const UNOFFERED: Readonly<Record<string, null>> = { key: null, only: null };

type Members = z.core.$ZodLooseShape;
type ObjectOf<Shape> = Shape extends z.ZodObject
  ? Shape
  : z.ZodObject<Extract<Shape, Members>, z.core.$strict>;
type SchemaOf<Shape> = Shape extends z.ZodType ? Shape : ObjectOf<Shape>;

/** An {@link Operation} as its file declares it; what is left out follows from rules. */
interface Declaration<Input, Output>
  extends Pick<Operation, 'summary' | 'about' | 'needs' | 'outsideTurns' | 'atOnce'> {
  level?: Operation<ObjectOf<Input>>['level']; // Follows from `needs` when absent.
  http?: Partial<HttpPlace> | null; // Parts of `POST /api/tasks/{ref}/<name>` that differ.
  cli?: CommandForm<z.output<SchemaOf<Output>>> | readonly CommandForm<z.output<SchemaOf<Output>>>[];
  tool?: ToolForm<z.output<SchemaOf<Output>>>;
  input?(): Input; // Members of a strict object; none when absent.
  output?(): Output; // A schema, or members of a strict object; a change of a task when absent.
  run: Operation<ObjectOf<Input>, SchemaOf<Output>>['run'];
}

const LEVELS: Readonly<Record<Needs, Level>> = {
  ...{ read: 'minimal', write: 'readonly', comment: 'readonly', create: 'readonly' },
  ...{ person: 'full', runtime: 'full' },
};

const asSchema = (shape: unknown) => (shape instanceof z.ZodType ? shape : z.strictObject(shape as Members));

export function operation<
  Input extends z.ZodObject | Members = Record<never, never>,
  Output extends z.ZodType | Members = ReturnType<typeof changedAnswer>,
>({ input, output, cli = [], ...declared }: Declaration<Input, Output>) {
  const made = {
    ...{ level: LEVELS[declared.needs], http: {}, tool: null, ...declared, cli: [cli].flat() },
    ...{ input: () => asSchema(input?.() ?? {}), output: () => asSchema((output ?? changedAnswer)()) },
  };
  return made as unknown as Omit<Operation<ObjectOf<Input>, SchemaOf<Output>>, 'name'>;
}

/** Gives each declared operation its name and its address. */
export const named = (all: Readonly<Record<string, unknown>>): readonly Operation[] =>
  Object.entries(all as Record<string, Operation>).map(([name, { http, ...operation }]) => ({
    ...{ ...operation, name },
    http: http && { ...{ method: 'post', path: `/api/tasks/{ref}/${name}` }, ...http },
  }));

/** Finishing a task, or hiding it, is for full access alone; so is a word that nobody here knows. */
export function levelOfStatus(to: string | null | undefined, own: OwnStatuses): Level {
  if (to === undefined || to === null) return 'readonly';
  const said = readStatus(to, () => own);
  return said === null || isFinished(said.status) ? 'full' : 'readonly';
}

type Change = { status?: string; keys?: Readonly<Record<string, unknown>> };

/** Several keys may mean the status, because keys are read in any spelling. */
export function levelOfChange({ status, keys = {} }: Change, own: OwnStatuses): Level {
  const words = Object.keys(keys)
    .filter((key) => key.trim().toLowerCase() === 'status')
    .map((key) => String(keys[key] ?? '').trim() || undefined);
  return [status, ...words].some((to) => levelOfStatus(to, own) === 'full') ? 'full' : 'readonly';
}
