// A Linear-shaped server in this process: its GraphQL over HTTP, keys, budgets and clock. What it holds is plain state
// that its owner reads and edits; what it was asked is on record. Tests and `npm start` run it.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buildSchema, type DocumentNode, execute, GraphQLError, parse, validate } from 'graphql';
import { agentFields } from './agent-sessions.ts';
import { authenticationError, notFound, rateLimited, tooComplex } from './answer-errors.ts';
import { complexityOf, MAX_COMPLEXITY } from './complexity.ts';
import type { PageArguments } from './connections.ts';
import { createMutations } from './mutations.ts';
import { createPerson } from './person.ts';
import { byId, createLinearState, findIssue, type LinearState } from './records.ts';
import { createSession, type Session } from './session.ts';
import { CommentView, IssueView, LabelView, page, StateView, TeamView, UserView } from './views.ts';

// The root fields that read.
/** Root fields of `Query` for one request. */
function createQueries(session: Session) {
  const { state } = session;
  return {
    viewer: () => new UserView(session, byId(state.users, session.viewerId)),
    organization: () => state.organization,
    team({ id }: { id: string }) {
      const found = state.teams.find((team) => team.id === id || team.key === id);
      if (!found) throw notFound('Team');
      return new TeamView(session, found);
    },
    teams: (args: PageArguments) => page(session, TeamView, state.teams, args),
    users: (args: PageArguments) => page(session, UserView, state.users, args),
    issue({ id }: { id: string }) {
      const found = findIssue(state, id);
      if (!found) throw notFound('Issue');
      return new IssueView(session, found);
    },
    issues: (args: PageArguments) => page(session, IssueView, state.issues, args),
    comment({ id }: { id?: string }) {
      const found = state.comments.find((one) => one.id === id);
      if (!found) throw notFound('Comment');
      return new CommentView(session, found);
    },
    comments: (args: PageArguments) => page(session, CommentView, state.comments, args),
    issueLabels: (args: PageArguments) => page(session, LabelView, state.labels, args),
    workflowStates: (args: PageArguments) => page(session, StateView, state.states, args),
  };
}

// What Linear does with a document before it runs it: read, held against the schema, and priced.
const schema = buildSchema(readFileSync(path.join(import.meta.dirname, 'schema.graphql'), 'utf8'));

/** A document that may run, or why it may not; `complexity` is 0 for one that was not priced. */
type Checked = { complexity: number } & ({ document: DocumentNode } | { errors: GraphQLError[] });

function checkDocument(query: string, variables: Readonly<Record<string, unknown>>): Checked {
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch (error) {
    const said = new GraphQLError(error instanceof Error ? error.message : String(error));
    return { errors: [said], complexity: 0 };
  }
  const invalid = validate(schema, document);
  if (invalid.length > 0) return { errors: invalid.map(asValidation), complexity: 0 };
  const complexity = complexityOf(schema, document, variables);
  if (complexity > MAX_COMPLEXITY) return { errors: [tooComplex(complexity)], complexity };
  return { document, complexity };
}

function asValidation(error: GraphQLError): GraphQLError {
  const extensions = { type: 'graphql error', code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } };
  return new GraphQLError(error.message, { nodes: error.nodes ?? null, extensions });
}

export interface AskedRequest {
  operation: string;
  query: string;
  variables: Record<string, unknown>;
  complexity: number;
}

/** What an interception does instead of the plain answer. `cut` ends the connection, after acting or without. */
export type Fault =
  | { cut: 'before' | 'after' }
  | { status: number; body: string; headers?: Record<string, string> };

export interface Budget {
  limit: number;
  remaining: number;
  /** Server clock. */
  resetAt: number;
}

type Answer = { status: number; body: unknown; complexity: number };

const HOUR_MS = 3_600_000;

/**
 * Starts a server on a free port of this machine.
 * @param clock the server's clock; absent: it stands still until a test moves it
 */
export async function createLinearServer(
  state: LinearState = createLinearState(),
  clock: () => number = () => state.now,
) {
  const budgets: { requests: Budget; complexity: Budget } = {
    requests: { limit: 5_000, remaining: 5_000, resetAt: state.now + HOUR_MS },
    complexity: { limit: 3_000_000, remaining: 3_000_000, resetAt: state.now + HOUR_MS },
  };
  const asked: AskedRequest[] = [];
  const controls: { intercept: ((request: AskedRequest) => Fault | null) | null } = { intercept: null };

  function spend(kind: 'requests' | 'complexity', amount: number): GraphQLError | null {
    const budget = budgets[kind];
    if (state.now >= budget.resetAt)
      Object.assign(budget, { remaining: budget.limit, resetAt: state.now + HOUR_MS });
    if (budget.remaining < amount) return rateLimited(kind);
    budget.remaining -= amount;
    return null;
  }

  function failed(status: number, errors: readonly GraphQLError[], complexity = 0): Answer {
    return { status, body: { errors: errors.map((error) => error.toJSON()), data: null }, complexity };
  }

  function run(viewerId: string, request: AskedRequest): Answer {
    const overRequests = spend('requests', 1);
    if (overRequests) return failed(400, [overRequests]);
    const checked = checkDocument(request.query, request.variables);
    const { complexity } = checked;
    request.complexity = complexity;
    if ('errors' in checked) return failed(400, checked.errors, complexity);
    const { document } = checked;
    const overPoints = spend('complexity', complexity);
    if (overPoints) return failed(400, [overPoints], complexity);
    const session = createSession(state, viewerId);
    const rootValue = { ...createQueries(session), ...createMutations(session), ...agentFields(session) };
    const result = execute({ schema, document, rootValue, variableValues: request.variables });
    if (result instanceof Promise) throw new Error('no resolver is asynchronous');
    for (const { originalError } of result.errors ?? []) {
      if (originalError && !(originalError instanceof GraphQLError)) throw originalError;
    }
    // Variables of a wrong type are the document's fault, not a resolver's.
    return { status: result.data === undefined ? 400 : 200, body: result, complexity };
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
    state.now = clock();
    const { query = '', variables = {} } = JSON.parse(text) as Partial<AskedRequest>;
    const operation = /^\s*(?:query|mutation)\s+(\w+)/.exec(query)?.[1] ?? '';
    const request: AskedRequest = { operation, query, variables: variables ?? {}, complexity: 0 };
    asked.push(request);
    const fault = controls.intercept?.(request) ?? null;
    if (fault && 'cut' in fault && fault.cut === 'before') return void outgoing.destroy();
    if (fault && 'status' in fault) {
      outgoing.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      return void outgoing.end(fault.body);
    }
    const viewerId = viewerOf(state, incoming);
    const answer = viewerId === null ? failed(401, [authenticationError()]) : run(viewerId, request);
    if (fault) return void outgoing.destroy();
    outgoing.writeHead(answer.status, {
      'content-type': 'application/json; charset=utf-8',
      ...headersOf(answer),
    });
    outgoing.end(JSON.stringify(answer.body));
  }

  function headersOf(answer: Answer): Record<string, string> {
    const headers: Record<string, string> = {
      date: new Date(state.now).toUTCString(),
      'x-complexity': String(answer.complexity),
    };
    for (const [kind, budget] of Object.entries(budgets)) {
      headers[`x-ratelimit-${kind}-limit`] = String(budget.limit);
      headers[`x-ratelimit-${kind}-remaining`] = String(budget.remaining);
      headers[`x-ratelimit-${kind}-reset`] = String(budget.resetAt);
    }
    return headers;
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((fault: unknown) => {
      outgoing.writeHead(500, { 'content-type': 'text/plain' });
      outgoing.end(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    /** Where GraphQL is asked. */
    url: `http://127.0.0.1:${port}/graphql`,
    state,
    person: createPerson(state),
    budgets,
    /** Every request so far, oldest first. */
    asked,
    controls,
    /** Moves the server's clock on. */
    tick(ms: number): void {
      state.now += ms;
    },
    close(): Promise<void> {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export type LinearServer = Awaited<ReturnType<typeof createLinearServer>>;

function viewerOf(state: LinearState, incoming: IncomingMessage): string | null {
  const key = (incoming.headers.authorization ?? '').replace(/^Bearer /, '');
  return state.keys.get(key) ?? null;
}
