// Projects v2 of the GitHub-shaped server: what people do with their cards. A card that is moved leaves its issue's time alone.
import {
  nextId,
  type ServerState,
  type StoredField,
  type StoredIssue,
  type StoredItem,
  type StoredProject,
  serverTime,
} from './state.ts';

/** A project with the fields that every one has, and Status with these options. */
export function addProject(
  state: ServerState,
  name: string,
  columns: readonly string[],
  more: Record<string, StoredField['dataType']> = {},
): StoredProject {
  const [owner, number] = name.split('/') as [string, string];
  const field = (of: Omit<StoredField, 'id'>) => ({ id: `PVTF_${nextId(state)}`, ...of });
  const project: StoredProject = {
    id: `PVT_${nextId(state)}`,
    ...{ owner, number: Number(number), title: 'Roadmap' },
    fields: [
      field({ name: 'Title', dataType: 'TITLE' }),
      field({ name: 'Labels', dataType: 'LABELS' }),
      field({
        name: 'Status',
        dataType: 'SINGLE_SELECT',
        options: columns.map((each) => ({ id: `opt${nextId(state)}`, name: each })),
      }),
      ...Object.entries(more).map(([each, dataType]) => field({ name: each, dataType })),
    ],
    items: [],
  };
  state.projects.push(project);
  return project;
}

export const fieldNamed = (project: StoredProject, name: string): StoredField =>
  project.fields.find((field) => field.name === name)!;

export const itemOf = (project: StoredProject, issue: StoredIssue | null): StoredItem | undefined =>
  project.items.find((item) => item.issue === (issue?.id ?? null));

/** The one it has already, where it has one. */
export function addItem(state: ServerState, project: StoredProject, issue: StoredIssue | null): StoredItem {
  const known = issue && itemOf(project, issue);
  if (known) return known;
  const item: StoredItem = {
    id: `PVTI_${nextId(state)}`,
    issue: issue?.id ?? null,
    isArchived: false,
    updatedAt: serverTime(state),
    values: new Map(),
  };
  project.items.push(item);
  return item;
}

export function setField(
  state: ServerState,
  project: StoredProject,
  issue: StoredIssue,
  name: string,
  value: string | number | null,
): void {
  const item = addItem(state, project, issue);
  const field = fieldNamed(project, name);
  const option = field.options?.find((each) => each.name === value);
  if (field.options && value !== null && !option) throw new Error(`${name} has no option ${value}`);
  setValue(state, item, field, option ? option.id : value);
}

/** @param value of a single select the id of an option */
export function setValue(
  state: ServerState,
  item: StoredItem,
  { id }: StoredField,
  value: string | number | null,
): void {
  item.updatedAt = serverTime(state);
  if (value === null) item.values.delete(id);
  else item.values.set(id, { value, at: item.updatedAt });
}

/** The column that the issue's card is in. */
export function columnOf(project: StoredProject, issue: StoredIssue): string | null {
  const { id, options = [] } = fieldNamed(project, 'Status');
  const value = itemOf(project, issue)?.values.get(id)?.value;
  return options.find((option) => option.id === value)?.name ?? null;
}
