// What is wrong with the whole room, above every view: no connection, no session, or something outside that failed.
import { at } from '../api/calls.ts';
import { feedState } from '../room/live.ts';
import { useResource } from '../room/resource.ts';

export function Trouble() {
  const { value, error } = useResource(at('status', {}), ['status']);
  if (error?.status === 401)
    return (
      <div class="banner failed" role="alert">
        This session is over. <code>taskroom open</code> makes a new one.
      </div>
    );
  if (feedState.value === 'lost')
    return (
      <div class="banner" role="alert">
        No connection to the room; what you see may be old. It comes back by itself when{' '}
        <code>taskroom up</code> runs.
      </div>
    );
  const trouble = value?.trouble ?? [];
  if (trouble.length === 0) return null;
  return (
    <div class="banner failed" role="alert">
      {trouble.map(({ message, hint }) => (
        <p key={message}>
          {message}
          {hint === null ? null : <small>{hint}</small>}
        </p>
      ))}
    </div>
  );
}
