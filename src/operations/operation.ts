// What an operation is: a value in a file of its own, from which every face makes what it needs. Nothing of it stands anywhere else.
import * as z from 'zod';
import type { SyncProgress } from '../core/chore-shapes.ts';
import type { Level } from '../core/rules/access.ts';
import type { RoomHandle } from '../tasks/room-handle.ts';
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
  /** `scope new`: the command, and the action where it has several. */
  command: string;
  /** In the help; of an action that of its subject. */
  group?: 'Room' | 'Tasks' | 'Reports' | 'Turns' | 'Mirrors';
  /** Names of inputs that are given as words, in order. `ref...` takes all that follow: it is done to each of them. */
  words: readonly string[];
  /** What the command does, in a line and in sentences, where that is not what the operation does. */
  about?: readonly [summary: string, about: string];
  /** Command lines with what they do; of an action its subject has them. */
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
  /** Inputs that are read from stdin where `-` is given. */
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
  /** Null for one that no command stands for. */
  cli: CommandForm<z.output<Output>> | readonly CommandForm<z.output<Output>>[] | null;
  tool: ToolForm<z.output<Output>> | null;
  /** A strict object. Made when it is first asked for: a small command parses nothing. */
  input(): Input;
  /** The JSON that every face answers: keys in snake_case, times in ISO 8601. */
  output(): Output;
  /** Loads its code itself. */
  run(on: RoomHandle, input: z.output<Input>, actor: Actor, passing?: Passing): Promise<z.output<Output>>;
}

type LeftOut = 'level' | 'cli' | 'tool' | 'input';

/** What who needs it has where an operation says no level. */
const LEVELS: Readonly<Record<Needs, Level>> = {
  ...{ read: 'minimal', write: 'readonly', comment: 'readonly', create: 'readonly' },
  ...{ person: 'full', runtime: 'full' },
};

/** With what it leaves out: it takes nothing, and is no command and no tool. */
export function operation<
  Input extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Output extends z.ZodType = z.ZodType,
>(
  said: Omit<Operation<Input, Output>, LeftOut> & Partial<Pick<Operation<Input, Output>, LeftOut>>,
): Operation<Input, Output> {
  const input = () => z.strictObject({}) as unknown as Input;
  return { level: LEVELS[said.needs], cli: null, tool: null, input, ...said };
}

/** What stands for the operations of a folder where a command has several of them as its actions. */
export interface Subject {
  /** `scope` */
  command: string;
  /** One line, without a capital and a full stop. */
  summary: string;
  /** In sentences. */
  about: string;
  examples: readonly (readonly [line: string, about: string])[];
}
