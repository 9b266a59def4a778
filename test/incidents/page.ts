import { INCIDENTS, TWINS } from './catalog.ts';
import { renderIncidents } from './document.ts';
import { replay } from './replay.ts';

/** Replays everything, and renders `docs/reference/incidents.md`. */
export async function renderReplays(): Promise<string> {
  const incidents = [];
  for (const incident of INCIDENTS) incidents.push({ incident, moments: await replay(incident) });
  const twins = [];
  for (const incident of TWINS) twins.push({ incident, moments: await replay(incident) });
  return renderIncidents(incidents, twins);
}
