// What agents tell the person.
import type { Notice } from '../../store/ledger/turns/notices.ts';
import type { Actor } from '../task-room.ts';

export interface NoticeOperations {
  /**
   * Tells the person something that can't wait for them to look at the task: shown in the log and by `status`, and sent
   * by the ways that `notify:` in room.yaml names. The same key again tells nothing.
   * @throws RoomError `bad_input` for an empty or long text, `refused` when its turn has told enough
   */
  notify(text: string, actor: Actor, about?: { ref?: string; key?: string }): Promise<Notice>;
  /** What was told, newest first. */
  notices(filter: { untold?: boolean; limit?: number }): Promise<(Notice & { name: string | null })[]>;
  /** Records that the person saw them. */
  markNoticesTold(seqs: readonly number[]): Promise<void>;
}
