// The data this face renders, gathered from the operations it is given by.
import type { Operations, TaskDetail } from '../../tasks/operations.ts';

export type { ListText, TaskDetail, TaskList, TaskView } from '../../tasks/operations.ts';
export type TurnRecord = TaskDetail['turns'][number];
export type HistoryLine = Awaited<ReturnType<Operations['history']>>[number];
