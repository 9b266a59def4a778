/** A Python name as PEP 503 compares it. */
export function normalizedName(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase();
}

const REQUIREMENT_NAME = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)/;

/** The normalised name that a PEP 508 requirement begins with. */
export function requirementName(requirement: string): string | undefined {
  const name = REQUIREMENT_NAME.exec(requirement)?.[1];
  return name === undefined ? undefined : normalizedName(name);
}
