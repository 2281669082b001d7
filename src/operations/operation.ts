// What an operation is: a value in a file of its own, from which every face makes what it needs. Nothing of it stands anywhere else.
import * as z from 'zod';
import type { SyncProgress } from '../core/chore-shapes.ts';
import type { Level } from '../core/rules/access.ts';
import type { RoomHandle } from '../tasks/room-handle.ts';
import { changedAnswer } from '../tasks/shapes/change.ts';
import type { Actor } from '../tasks/task-room.ts';

/**
 * What an operation needs: to look; to change a task; to comment on one; to make one. What needs the person is done for
 * nobody else, what needs the runtime for nothing that reports.
 */
export type Needs = 'read' | 'write' | 'comment' | 'create' | 'person' | 'runtime';

/** Where it is over HTTP. What stands in the braces of the path is taken from there, all else from query or body. */
export interface HttpPlace {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** `/api/scopes/{name}` */
  path: string;
  /** Where it succeeds; 200 when absent. */
  status?: 201 | 202;
  /** A second address of the same method, for inputs that one may have in its path. */
  also?: string;
  /** `If-Match` gives this input: the change is made on that text alone, and the answer is the task with its ETag. */
  guard?: string;
  /** Inputs that the address gives by itself; who calls the operation by it and wants them not says false. */
  given?: Readonly<Record<string, true>>;
  /** Where what was made is; what stands in the braces is taken from the answer. */
  location?: string;
}

/** What one line is told of: each of those that an operation answers, where they are several. */
type ChangeOf<Output> = Output extends { tasks: readonly (infer Each)[] } ? Each : Output;

/** One form of a command. */
export interface CommandForm<Output = never> {
  /** `scope new`: the command, and the action where it has several. The name of the operation when absent. */
  command?: string;
  /**
   * Names of inputs that are given as words, in order; `ref` when absent, where the operation needs one. `ref...` takes all that
   * follow: it is done to each of them. For a word `text`, `-` reads it from stdin.
   */
  words?: readonly string[];
  /** What the command does, in a line and in sentences, where that is not what the operation does. One action says it for all. */
  about?: readonly [summary: string, about: string];
  /** Command lines with what they do; of a command with actions one of them has all. */
  examples?: readonly (readonly [line: string, about: string])[];
  /** Further paragraphs of the help. */
  notes?: string;
  /** Inputs that this form gives by itself. */
  given?: Readonly<Record<string, unknown>>;
  /**
   * Flags of inputs that are not spelled `--name <name>`; null for one that the command line does not offer. A text whose flag takes
   * no value is the flag's name: `--running`.
   */
  flags?: Readonly<Record<string, string | null>>;
  /** What is meant where it is left out. */
  meant?: Readonly<Record<string, unknown>>;
  /** The only inputs that it offers beside its words, where those are few. */
  only?: readonly string[];
  /** The flag that means this form, of a command that has several without actions; with what it is about, where it is no input. */
  flag?: readonly [name: string, about?: string];
  /** The input that is read as JSON from stdin. */
  input?: string;
  /** Flags that stand for inputs: `draft` for a status. */
  switches?: Readonly<Record<string, { about: string; given: Readonly<Record<string, unknown>> }>>;
  /** Inputs that this form can't do without, though the operation can. */
  needed?: readonly string[];
  /** Inputs that count from 0, and from 1 on the command line. */
  fromOne?: readonly string[];
  /** Further inputs that are read from stdin where `-` is given. */
  stdin?: readonly string[];
  /** What follows the name of the task that was changed, told a person. */
  done?: string | ((output: ChangeOf<Output>, input: never) => string);
  /** It asks a tracker: where this shell lacks what that takes, the daemon that runs here does it. Its input names a `chore`. */
  asksTracker?: true;
  /** A member of what it answers, and the exit code where that is false or null. */
  exit?: readonly [member: string, code: number];
  /** What is told a person when it is done, the first line after the sign; without both the command has a view. */
  said?(output: Output): readonly string[];
  /** What is called, with what, once the person was shown it. */
  shown?(output: Output): readonly { name: string; input: object }[];
}

/** What a call has while it is carried out, beside its input. */
export interface Passing {
  /** Aborted when the caller is gone, or wants it no more. */
  signal?: AbortSignal;
  /** How far it is, where the caller is in the same process. */
  onProgress?(progress: SyncProgress): void;
}

/** As a tool of agents. */
export interface ToolForm<Output = never> {
  /** In snake_case. */
  name: string;
  /** For the agent: what it does and what to give, in few words. The summary when absent. */
  about?: string;
  /** What tools call an input, where that is not its name. */
  names?: Readonly<Record<string, string>>;
  /** What is meant where it is left out. */
  given?: Readonly<Record<string, unknown>>;
  /** Inputs that are needed in a turn, too, where its own task is not meant. */
  needed?: readonly string[];
  /** What agents are shown of an input, where that is less than is taken. */
  shown?: Readonly<Record<string, () => z.ZodType>>;
  /** Inputs that agents are not offered; they are taken all the same. */
  without?: readonly string[];
  /** The inputs that they are offered, where those are few. */
  only?: readonly string[];
  /** Said after what it answers. */
  afterwards?: string;
  /** What it answers where that is not the output as JSON. */
  said?(output: Output): string;
  /** Only for whom may run programs. */
  programs?: true;
}

export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  /** As its file, in camelCase; unique. */
  name: string;
  /** One line, without a capital and a full stop. */
  summary: string;
  /** More, in sentences, where the line is not all. */
  about?: string;
  needs: Needs;
  /** It tells of the room, not of tasks: no agent has it inside its turn. */
  outsideTurns?: true;
  /** Least level of an agent's access that has it, where it hangs on the input a function of it. */
  level: Level | ((input: z.output<Input>) => Level);
  /** It is done now or not at all, as what only looks: asked for while nothing runs the room, it is refused. */
  atOnce?: true;
  /** Null for one that is the runtime's own. */
  http: HttpPlace | null;
  /** None where no command stands for it. */
  cli: readonly CommandForm<z.output<Output>>[];
  tool: ToolForm<z.output<Output>> | null;
  /** A strict object. Made when it is first asked for: a small command parses nothing. */
  input(): Input;
  /** The JSON that every face answers: keys in snake_case, times in ISO 8601. */
  output(): Output;
  /** Loads its code itself. */
  run(on: RoomHandle, input: z.output<Input>, actor: Actor, passing?: Passing): Promise<z.output<Output>>;
}

/** Inputs for programs alone: neither commands nor tools offer the key of a request and the hash of the text that is changed. */
export const UNOFFERED: Readonly<Record<string, null>> = { key: null, only: null };

/** What a file declares, without the name that it has by itself. */
export type Declared = Omit<Operation, 'name' | 'http'> & { http: Partial<HttpPlace> | null };

type Members = z.core.$ZodLooseShape;
type ObjectOf<Shape> = Shape extends z.ZodObject
  ? Shape
  : z.ZodObject<Extract<Shape, Members>, z.core.$strict>;
type SchemaOf<Shape> = Shape extends z.ZodType ? Shape : ObjectOf<Shape>;

/** As {@link Operation}; what is left out follows from rules. */
interface Declaration<Input, Output>
  extends Pick<Operation, 'summary' | 'about' | 'needs' | 'outsideTurns' | 'atOnce'> {
  /** Else what who needs it has. */
  level?: Operation<ObjectOf<Input>>['level'];
  /** Else `POST /api/tasks/{ref}/<name>`, as far as it is left out. */
  http?: Partial<HttpPlace> | null;
  cli?: CommandForm<z.output<SchemaOf<Output>>> | readonly CommandForm<z.output<SchemaOf<Output>>>[];
  tool?: ToolForm<z.output<SchemaOf<Output>>>;
  /** The members of the strict object; it takes nothing when absent. */
  input?(): Input;
  /** A schema, or the members of a strict object; a change of a task when absent. */
  output?(): Output;
  run(
    on: RoomHandle,
    input: z.output<ObjectOf<Input>>,
    actor: Actor,
    passing?: Passing,
  ): Promise<z.output<SchemaOf<Output>>>;
}

/** What who needs it has where an operation says no level. */
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

/** Every operation that was declared, with its name and its place. */
export function named(all: Readonly<Record<string, unknown>>): readonly Operation[] {
  return Object.entries(all as Record<string, Declared>).map(([name, { http, ...operation }]) => ({
    ...operation,
    name,
    http: http && { method: 'post', path: `/api/tasks/{ref}/${name}`, ...http },
  }));
}
