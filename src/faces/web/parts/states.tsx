// What stands where there is nothing, nothing yet, or an error.
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/request.ts';

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}

export function Loading() {
  return <p class="loading">Reading the room …</p>;
}

export function Failed({ error }: { error: ApiError }) {
  return (
    <div class="empty" role="alert">
      <p class="empty-title">{error.message}</p>
      {error.problem.hint === undefined ? null : <p>{error.problem.hint}</p>}
    </div>
  );
}
