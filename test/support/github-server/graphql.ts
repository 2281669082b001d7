// GitHub's GraphQL as far as it is asked: documents are held against GitHub's own schema and run on the server's state.
// Errors are told in the answer, with status 200, as GitHub does.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, execute, GraphQLError, parse, validate, visit } from 'graphql';
import { type Call, type Handler, Refused } from './answer.ts';
import { addItem, setValue } from './projects.ts';
import { type Json, nodeId } from './shapes.ts';
import {
  issueWithId,
  repoNamed,
  type ServerState,
  type StoredField,
  type StoredIssue,
  type StoredItem,
  type StoredProject,
  type StoredRepo,
} from './state.ts';

export const schema = buildSchema(readFileSync(path.join(import.meta.dirname, 'schema.graphql'), 'utf8'));

const failed = (type: string, message: string): GraphQLError =>
  Object.assign(new GraphQLError(message), { type });

export const askGraphql: Handler = (call) => {
  const { query, variables } = call.body as { query?: unknown; variables?: Record<string, unknown> };
  if (typeof query !== 'string')
    throw new Refused(400, 'A query attribute must be specified and must be a string.');
  const document = parse(query);
  const invalid = validate(schema, document);
  if (invalid.length > 0) return { status: 200, body: { errors: invalid } };
  const lacking = scopeLacking(call, document);
  if (lacking !== null) return { status: 200, body: { errors: [shown(lacking)] } };
  const result = execute({ schema, document, rootValue: rootOf(call), variableValues: variables ?? {} });
  if (result instanceof Promise) throw new Error('no resolver is asynchronous');
  for (const { originalError } of result.errors ?? [])
    if (originalError && !(originalError instanceof GraphQLError)) throw originalError;
  const { data, errors } = result;
  const headers = {
    'x-oauth-scopes': ['repo', call.projects].filter((scope) => scope !== 'none').join(', '),
  };
  return { status: 200, body: { data, ...(errors && { errors: errors.map(shown) }) }, headers };
};

function shown(error: GraphQLError) {
  const { type } = (error.originalError ?? error) as { type?: string };
  return { ...(type === undefined ? {} : { type }), ...error.toJSON() };
}

/** Fields that a token needs a scope for. */
const SCOPES: Readonly<Record<string, 'read:project' | 'project'>> = {
  ...{ projectV2: 'read:project', projectsV2: 'read:project', projectItems: 'read:project' },
  ...{ addProjectV2ItemById: 'project', updateProjectV2ItemFieldValue: 'project' },
  clearProjectV2ItemFieldValue: 'project',
};

function scopeLacking({ projects }: Call, document: ReturnType<typeof parse>): GraphQLError | null {
  let found: GraphQLError | null = null;
  visit(document, {
    Field({ name: { value: name } }) {
      const needed = SCOPES[name];
      if (needed === undefined || projects === 'project' || projects === needed) return;
      found ??= failed(
        'INSUFFICIENT_SCOPES',
        'Your token has not been granted the required scopes to execute this query. ' +
          `The '${name}' field requires one of the following scopes: ['${needed}'], ` +
          `but your token has only been granted the: ['repo'] scopes.`,
      );
    },
  });
  return found;
}

function rootOf(call: Call) {
  const { state, viewer } = call;
  return {
    viewer: { login: viewer.login },
    repository({ owner, name }: Record<string, string>) {
      const repo = repoNamed(state, `${owner}/${name}`);
      if (repo) return repositoryNode(state, repo);
      throw failed('NOT_FOUND', `Could not resolve to a Repository with the name '${owner}/${name}'.`);
    },
    repositoryOwner({ login }: { login: string }) {
      const known = state.users.get(login.toLowerCase());
      return known ? ownerNode(state, known.login) : null;
    },
    node({ id }: { id: string }) {
      const found = contentNamed(state, id);
      if (found) return contentNode(state, found.repo, found.issue);
      throw failed('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
    },
    ...mutationsOf(call),
  };
}

type Input = { input: Record<string, unknown> };

function mutationsOf({ state }: Call) {
  /** @throws GraphQLError for what is not there, or not allowed */
  const projectOf = ({ projectId }: Record<string, unknown>) => {
    const project = state.projects.find(({ id }) => id === projectId);
    if (!project)
      throw failed('NOT_FOUND', `Could not resolve to a node with the global id of '${projectId}'`);
    if (project.isReadOnly) throw failed('FORBIDDEN', 'Resource not accessible by personal access token');
    return project;
  };
  const placeOf = ({ input }: Input) => {
    const project = projectOf(input);
    const item = project.items.find(({ id }) => id === input.itemId);
    const field = project.fields.find(({ id }) => id === input.fieldId);
    if (!item || !field) throw failed('NOT_FOUND', 'Could not resolve to a node with the global id of it.');
    if (item.isArchived) throw failed('UNPROCESSABLE', 'The item is archived and cannot be updated');
    return { project, item, field };
  };
  return {
    addProjectV2ItemById({ input }: Input) {
      const project = projectOf(input);
      const found = contentNamed(state, String(input.contentId));
      if (!found)
        throw failed('NOT_FOUND', `Could not resolve to a node with the global id of '${input.contentId}'`);
      return { item: itemNode(state, project, addItem(state, project, found.issue)) };
    },
    updateProjectV2ItemFieldValue({ input }: Input) {
      const { project, item, field } = placeOf({ input });
      const option = (input.value as { singleSelectOptionId?: string }).singleSelectOptionId;
      if (!field.options?.some(({ id }) => id === option))
        throw failed('VALIDATION', 'The single select option Id does not belong to the field');
      setValue(state, item, field, option!);
      return { projectV2Item: itemNode(state, project, item) };
    },
    clearProjectV2ItemFieldValue(input: Input) {
      const { project, item, field } = placeOf(input);
      setValue(state, item, field, null);
      return { projectV2Item: itemNode(state, project, item) };
    },
  };
}

const contentId = (issue: StoredIssue) => nodeId(issue.pull ? 'PR' : 'I', issue.id);

function contentNamed(state: ServerState, id: string) {
  const found = issueWithId(state, Number(Buffer.from(id.split('_')[1] ?? '', 'base64url').toString()));
  return found && contentId(found.issue) === id ? found : null;
}

const time = (at: number) => new Date(at).toISOString();

/** @throws GraphQLError for more than GitHub gives at once, and where no number is said */
function pageOf<T>(all: readonly T[], { first, after }: { first?: number; after?: string }) {
  if (first === undefined || first < 1 || first > 100)
    throw failed('EXCESSIVE_PAGINATION', 'You must provide a `first` between 1 and 100');
  const from = after == null ? 0 : Number(Buffer.from(after, 'base64url').toString());
  const to = Math.min(all.length, from + first);
  const endCursor = to > from ? Buffer.from(String(to)).toString('base64url') : null;
  return { nodes: all.slice(from, to), pageInfo: { hasNextPage: to < all.length, endCursor } };
}

function ownerNode(state: ServerState, login: string) {
  const own = state.projects.filter(({ owner }) => owner.toLowerCase() === login.toLowerCase());
  return {
    __typename: 'Organization',
    login,
    projectV2({ number }: { number: number }) {
      const project = own.find((one) => one.number === number);
      if (project) return projectNode(state, project);
      throw failed('NOT_FOUND', `Could not resolve to a ProjectV2 with the number ${number}.`);
    },
    projectsV2: (page: { first?: number }) =>
      pageOf(
        own.map((project) => projectNode(state, project)),
        page,
      ),
  };
}

function projectNode(state: ServerState, project: StoredProject) {
  const { id, number, title, fields, items } = project;
  return {
    ...{ id, number, title, viewerCanUpdate: !project.isReadOnly },
    fields: (page: { first?: number }) => pageOf(fields.map(fieldNode), page),
    items: (page: { first?: number; after?: string }) =>
      pageOf(
        items.map((item) => itemNode(state, project, item)),
        page,
      ),
  };
}

const FIELD_TYPES: Partial<Record<StoredField['dataType'], string>> = {
  ...{ SINGLE_SELECT: 'ProjectV2SingleSelectField', ITERATION: 'ProjectV2IterationField' },
};
const fieldNode = (field: StoredField) => ({
  __typename: FIELD_TYPES[field.dataType] ?? 'ProjectV2Field',
  ...field,
});

function itemNode(state: ServerState, project: StoredProject, item: StoredItem): Json {
  const found = item.issue === null ? null : issueWithId(state, item.issue);
  const draft = item.issue === null ? { __typename: 'DraftIssue', title: 'A draft' } : null;
  return {
    ...{ id: item.id, isArchived: item.isArchived, updatedAt: time(item.updatedAt) },
    content: () => (found ? contentNode(state, found.repo, found.issue) : draft),
    project: () => projectNode(state, project),
    fieldValues: (page: { first?: number }) => {
      const set = project.fields.flatMap((field) => {
        const value = item.values.get(field.id);
        return value === undefined ? [] : [valueNode(field, value.value, time(value.at))];
      });
      const title = found ? [valueNode(project.fields[0]!, found.issue.title, time(item.updatedAt))] : [];
      const labels = { __typename: 'ProjectV2ItemFieldLabelValue', field: fieldNode(project.fields[1]!) };
      return pageOf([...title, ...(found && found.issue.labels.length > 0 ? [labels] : []), ...set], page);
    },
  };
}

function valueNode(field: StoredField, value: string | number, updatedAt: string) {
  const node = (type: string, said: Json) => ({
    __typename: `ProjectV2ItemField${type}Value`,
    ...{ field: fieldNode(field), updatedAt, ...said },
  });
  if (field.options)
    return node('SingleSelect', { name: field.options.find(({ id }) => id === value)?.name ?? null });
  if (field.dataType === 'NUMBER') return node('Number', { number: value });
  if (field.dataType === 'DATE') return node('Date', { date: value });
  return field.dataType === 'ITERATION' ? node('Iteration', { title: value }) : node('Text', { text: value });
}

const repositoryNode = (state: ServerState, repo: StoredRepo) => ({
  id: nodeId('R', repo.id),
  issueOrPullRequest({ number }: { number: number }) {
    const issue = repo.issues.find((one) => one.number === number && one.gone === null);
    if (issue) return contentNode(state, repo, issue);
    throw failed('NOT_FOUND', `Could not resolve to an issue or pull request with the number of ${number}.`);
  },
});

function contentNode(state: ServerState, repo: StoredRepo, issue: StoredIssue): Json {
  const items = state.projects.flatMap((project) =>
    project.items.filter((item) => item.issue === issue.id).map((item) => itemNode(state, project, item)),
  );
  return {
    __typename: issue.pull ? 'PullRequest' : 'Issue',
    ...{ id: contentId(issue), number: issue.number },
    repository: () => repositoryNode(state, repo),
    projectItems: (page: { first?: number }) => pageOf(items, page),
    ...historyOf(state, issue),
  };
}

function historyOf(state: ServerState, { acts = [] }: StoredIssue) {
  const actor = (login: string | null) =>
    login === null
      ? null
      : {
          __typename: state.users.get(login.toLowerCase())?.type ?? 'User',
          login: login.replace('[bot]', ''),
        };
  const edits = acts
    .filter(({ what }) => what === 'body')
    .map(({ by, at }) => ({ editedAt: time(at), editor: actor(by) }))
    .reverse();
  return {
    lastEditedAt: edits[0]?.editedAt ?? null,
    editor: edits[0]?.editor ?? null,
    userContentEdits: (page: { first?: number }) => pageOf(edits, page),
    timelineItems: ({ since, last }: { since: string; last: number }) => ({
      nodes: acts
        .filter(({ what, at }) => what !== 'body' && at >= Date.parse(since))
        .map(({ what, by, at }) => ({
          __typename: what === 'title' ? 'RenamedTitleEvent' : 'ReopenedEvent',
          createdAt: time(at),
          actor: actor(by),
        }))
        .slice(-last),
    }),
  };
}
