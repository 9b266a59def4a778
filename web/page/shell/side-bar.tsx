import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { place } from '../routing/location.ts';
import { listedViews } from '../routing/views.ts';

/** Whether the navigation of narrow windows is open. */
export const isMenuOpen = signal(false);

/** Views that are reached from another one, by that one. */
const PARENTS: Readonly<Record<string, string>> = {
  '/finding': '/findings',
  '/target': '/targets',
  '/inventory': '/targets',
  '/graph': '/targets',
  '/exceptions': '/targets',
  '/scan': '/targets',
};

export function SideBar() {
  const { path } = place.value;
  const current = PARENTS[path] ?? path;
  useEffect(() => {
    isMenuOpen.value = false;
  }, [path]);
  return (
    <nav id="views" class={`side-bar ${isMenuOpen.value ? 'open' : ''}`} aria-label="Views">
      <ul>
        {listedViews().map((view) => (
          <li key={view.path}>
            <a href={view.path} {...(view.path === current ? { 'aria-current': 'page' as const } : {})}>
              {view.title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
