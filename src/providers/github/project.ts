// Projects v2: the column that an issue's card is in, what its other fields say, and moving it. GitHub tells of them over
// GraphQL alone. Moving a card leaves the issue's own time alone, so a listing reads all cards and goes by their times.
import { RoomError } from '../../core/errors.ts';
import { isSameName } from '../tracker-rules.ts';
import type { GraphqlRequest, Params } from './client.ts';
import type { GithubOptions } from './options.ts';
import type { WireIssue, WireItem } from './response-shapes.ts';
import { readAdded, readProject } from './response-shapes.ts';

interface ProjectSource {
  options: Pick<GithubOptions, 'project' | 'projectStatuses'>;
  repository: { owner: string; repo: string };
  graphql(...request: GraphqlRequest): Promise<unknown>;
}

export interface Card {
  number: number;
  updatedAt: number;
  column: string | null; // The option of Status.
  fields: string[]; // `Size: M`, without the Status that stands for a status.
}

/** By the node ids of issues and pull requests of the source. */
export type Cards = ReadonlyMap<string, Card>;

const SCOPES =
  'the scope `project` (`read:project` where nothing is written), or fine-grained Projects: read and write';
const STATUS = 'Status';
/** Fields of a project's own; others say what the issue says. */
const OWN_FIELDS = ['TEXT', 'NUMBER', 'DATE', 'SINGLE_SELECT', 'ITERATION'];

const ITEM = `id isArchived updatedAt fieldValues(first: 50) { nodes {
  ... on ProjectV2ItemFieldValueCommon { updatedAt field { ... on ProjectV2FieldCommon { name dataType } } }
  ... on ProjectV2ItemFieldTextValue { text } ... on ProjectV2ItemFieldNumberValue { number }
  ... on ProjectV2ItemFieldDateValue { date } ... on ProjectV2ItemFieldSingleSelectValue { name }
  ... on ProjectV2ItemFieldIterationValue { title }
} }`;
const FIELDS = `fields(first: 50) { nodes {
  ... on ProjectV2FieldCommon { id name } ... on ProjectV2SingleSelectField { options { id name } }
} }`;
const inProject = (asked: string) => `repositoryOwner(login: $owner) { ... on ProjectV2Owner {
  projectV2(number: $project) { id viewerCanUpdate ${FIELDS} ${asked} }
  projectsV2(first: 20) { nodes { number title } }
} }`;

const CONTENT = 'id number repository { id }';
const ITEMS = `query($owner: String!, $project: Int!, $home: String!, $repo: String!, $after: String) {
  ${inProject(`items(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${ITEM}
    content { ... on Issue { ${CONTENT} } ... on PullRequest { ${CONTENT} } }
  } }`)}
  repository(owner: $home, name: $repo) { id }
}`;
const ITEMS_OF = `projectItems(first: 100) { nodes { ${ITEM} project { id } } }`;
const ONE_ITEM = `query($owner: String!, $project: Int!, $issue: ID!) {
  ${inProject('')} node(id: $issue) { ... on Issue { ${ITEMS_OF} } ... on PullRequest { ${ITEMS_OF} } }
}`;
const ADD = `mutation($input: AddProjectV2ItemByIdInput!) { addProjectV2ItemById(input: $input) { item { id } } }`;
const SET = `mutation($input: UpdateProjectV2ItemFieldValueInput!) {
  updateProjectV2ItemFieldValue(input: $input) { projectV2Item { id } }
}`;
const CLEAR = `mutation($input: ClearProjectV2ItemFieldValueInput!) {
  clearProjectV2ItemFieldValue(input: $input) { projectV2Item { id } }
}`;

/** All cards of the source's issues; null where no project is named. @throws RoomError */
export async function fetchCards(source: ProjectSource): Promise<Cards | null> {
  if (source.options.project === null) return null;
  const { owner: home, repo } = source.repository;
  const cards = new Map<string, Card>();
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const { project, repository } = await askProject(source, ITEMS, { home, repo, after });
    const { nodes, pageInfo } = project.items!;
    for (const item of nodes) {
      const { id, number, repository: its } = item.content ?? {};
      if (!item.isArchived && id && number && its?.id === repository?.id)
        cards.set(id, toCard(item, number, source));
    }
    after = pageInfo.hasNextPage && pageInfo.endCursor !== after ? pageInfo.endCursor : undefined;
  }
  return cards;
}

/** The issue's card; null without one, and where no project is named. @throws RoomError */
export async function fetchCard(source: ProjectSource, issue: WireIssue): Promise<Card | null> {
  return source.options.project === null ? null : (await askCard(source, issue)).card;
}

/** What puts the issue's card into a column, a new card where there is none; without a column it takes it out of the one that
 * it is in, unless that `says` the same. Null when nothing is to be done. @throws RoomError when the credentials may not do it */
export async function planCardMove(
  source: ProjectSource,
  issue: WireIssue,
  column: string | null,
  says: (column: string | null) => boolean,
): Promise<(() => Promise<unknown>) | null> {
  const { project, status, item, card } = await askCard(source, issue, 'project');
  const now = card?.column ?? null;
  const option = status!.options!.find(({ name }) => column !== null && isSameName(name, column.trim()));
  if (option ? option.name === now : says(now)) return null;
  const what = `the project ${source.options.project}`;
  if (!project.viewerCanUpdate)
    throw new RoomError('refused', `GitHub does not allow to write to ${what}`, {
      hint: `It takes ${SCOPES}.`,
    });
  const write = (document: string, input: Params) =>
    source.graphql(what, document, { input: { projectId: project.id, ...input } }, SCOPES);
  return async () => {
    // An issue that has an item already keeps that one.
    const added =
      item ?? readAdded(await write(ADD, { contentId: issue.node_id })).data.addProjectV2ItemById.item;
    const place = { itemId: added.id, fieldId: status!.id };
    await (option
      ? write(SET, { ...place, value: { singleSelectOptionId: option.id } })
      : write(CLEAR, place));
  };
}

async function askCard(source: ProjectSource, issue: WireIssue, scope?: string) {
  const { node, ...found } = await askProject(source, ONE_ITEM, { issue: issue.node_id }, scope);
  const items = node?.projectItems.nodes ?? [];
  const item = items.find((one) => one.project?.id === found.project.id && !one.isArchived);
  return { ...found, item, card: item ? toCard(item, issue.number, source) : null };
}

/** @param scope that a token must have, where it says so */
async function askProject(source: ProjectSource, query: string, more: Params, scope?: string) {
  const { project: name, projectStatuses } = source.options;
  const [owner, number] = name!.split('/');
  const variables = { owner, project: Number(number), ...more };
  const answer = await source.graphql(`the project ${name}`, query, variables, SCOPES, scope);
  const { data } = readProject(answer);
  const { projectV2: project, projectsV2 } = data.repositoryOwner ?? {};
  if (!project) {
    const there = projectsV2?.nodes.map((one) => `${owner}/${one.number} (${one.title})`).join(', ');
    const message = `GitHub does not find the project ${name}; it shows ${there || 'none'}`;
    throw new RoomError('not_found', message, { hint: `For a private one the credentials need ${SCOPES}.` });
  }
  const lacks = (what: string, there: readonly { name: string }[]) => {
    const names = there.map((one) => JSON.stringify(one.name)).join(', ');
    return new RoomError('bad_input', `the project ${name} has no ${what}; it has ${names}`);
  };
  const fields = project.fields.nodes;
  const status = fields.find((field) => isSameName(field.name, STATUS) && field.options);
  for (const column of Object.values(projectStatuses)) {
    if (!status?.options) throw lacks(`field ${STATUS} with options`, fields);
    const isThere = status.options.some((option) => isSameName(option.name, column!.trim()));
    if (!isThere) throw lacks(`column ${JSON.stringify(column)}`, status.options);
  }
  return { ...data, project, status };
}

function toCard(item: WireItem, number: number, { options }: ProjectSource): Card {
  const own = item.fieldValues.nodes.flatMap(({ field, updatedAt = 0, ...said }) => {
    if (!field || !OWN_FIELDS.includes(field.dataType)) return [];
    const value = said.text ?? said.number ?? said.date ?? said.name ?? said.title;
    return [
      { isStatus: isSameName(field.name, STATUS), name: field.name, value: String(value ?? ''), updatedAt },
    ];
  });
  const isTold = Object.keys(options.projectStatuses).length > 0;
  return {
    number,
    updatedAt: Math.max(item.updatedAt, ...own.map(({ updatedAt }) => updatedAt)),
    column: own.find(({ isStatus }) => isStatus)?.value ?? null,
    fields: own.filter(({ isStatus }) => !isStatus || !isTold).map(({ name, value }) => `${name}: ${value}`),
  };
}
