// A route as data: where it is, what it takes and answers, what its caller must be allowed, and its run. From the same data
// come the validation of each request and the OpenAPI document.
import type * as z from 'zod';
import type { ApiToken } from '../../app/open-room.ts';
import type { Client } from '../../operations/client.ts';
import type { Actor } from '../../tasks/task-room.ts';
import type { HttpRoom } from '../room/http-room.ts';

export interface Caller {
  token: ApiToken;
  actor: Actor;
}

/**
 * `look` changes nothing; `change` changes a task; `person` is for who may do all that the person may; `worker` for workers
 * alone, who have no use of the others.
 */
export type RouteNeeds = 'look' | 'change' | 'person' | 'worker';

/** What a run gets besides its input. */
export interface Exchange {
  room: HttpRoom;
  caller: Caller;
  /** The operations as this caller has them: what it may not do is refused there. */
  tasks: Client;
  headers: Headers;
  /** As it came; its body is read already where the route names one. */
  request: Request;
  /** Cuts the connection at once, whatever was still to be sent. */
  drop(): void;
  /** Aborted when the caller is gone. */
  signal: AbortSignal;
  /** Under which the caller reached us: `http://127.0.0.1:7420`. */
  origin: string;
}

export interface Answer {
  status?: number;
  /** Said as JSON; a text is JSON already. */
  body: unknown;
  headers?: Readonly<Record<string, string>>;
}

export interface AnswerSpec {
  about: string;
  schema?: z.ZodType;
  /** `application/json` where nothing is said. */
  media?: string;
}

type Shape = z.ZodType<Record<string, unknown>>;

type TaskOf<Given> = (input: Given, room: HttpRoom) => string | null | Promise<string | null>;

export interface Input<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
}

export interface Route {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** With `:name` for a parameter. */
  path: string;
  /** Unique, for clients made from the document. */
  id: string;
  about: string;
  group: string;
  needs: RouteNeeds;
  params?: Shape;
  query?: Shape;
  body?: z.ZodType;
  /** Its run reads what came by itself: what stands here is for the document. */
  isRaw?: true;
  /**
   * The reference that a token for some tasks is held to; without it such a token has no use of this route. `any`: it has,
   * and is told no more than is its.
   */
  task?: 'any' | TaskOf<Input<never, never, never>>;
  /** Request headers it heeds, with what they do. */
  headers?: Readonly<Record<string, string>>;
  answers: Readonly<Record<number, AnswerSpec>>;
  run(on: Exchange, input: Input<never, never, never>): Promise<Answer | Response>;
}

/** Checks that the run fits what the route says it takes. */
export function route<
  Params extends Shape = z.ZodType<Record<string, never>>,
  Query extends Shape = z.ZodType<Record<string, never>>,
  Body extends z.ZodType = z.ZodType<undefined>,
>(
  said: Omit<Route, 'params' | 'query' | 'body' | 'task' | 'run'> & {
    params?: Params;
    query?: Query;
    body?: Body;
    task?: 'any' | TaskOf<Input<z.infer<Params>, z.infer<Query>, z.infer<Body>>>;
    run(
      on: Exchange,
      input: Input<z.infer<Params>, z.infer<Query>, z.infer<Body>>,
    ): Promise<Answer | Response>;
  },
): Route {
  return said as unknown as Route;
}
