import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CardProps {
  readonly title: string;
  /** Beside the title. */
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A titled part of a view. */
export function Card({ title, aside, class: name = '', children }: CardProps) {
  const id = useId();
  return (
    <section class={`card ${name}`} aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

interface HeadProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The title of a view, with its buttons. */
export function ViewHead({ title, note, children }: HeadProps) {
  return (
    <div class="view-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {note === undefined ? null : <p class="faint">{note}</p>}
      </div>
      {children === undefined ? null : <div class="actions">{children}</div>}
    </div>
  );
}
