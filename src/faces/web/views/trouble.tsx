// What is wrong with the whole room, above every view: no connection, no session, or something outside that failed.
import { feedState } from '../room/live.ts';
import { useQuery } from '../room/queries.ts';

export function Trouble() {
  const { value, error } = useQuery('status', {});
  if (error?.status === 401)
    return (
      <div class="note tone-failed" role="alert">
        This session is over. <code>taskroom open</code> makes a new one.
      </div>
    );
  if (feedState.value === 'lost')
    return (
      <div class="note tone-pending" role="alert">
        No connection to the room; what you see may be old. It comes back by itself when{' '}
        <code>taskroom up</code> runs.
      </div>
    );
  const trouble = value?.trouble ?? [];
  if (trouble.length === 0) return null;
  return (
    <div class="note tone-failed" role="alert">
      {trouble.map(({ message, hint }) => (
        <p key={message}>
          {message}
          {hint && <small>{hint}</small>}
        </p>
      ))}
    </div>
  );
}
