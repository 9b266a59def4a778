/**
 * The location without what may be a secret in it: a source goes on into Redis, reports and alerts. The user name of ssh
 * (`git@`) is none, and stays.
 */
export function withoutCredentials(location: string): string {
  const at = location.indexOf('@');
  if (at < 0) return location;
  // An `@` in the path begins a scope.
  const path = location.indexOf('/', location.indexOf('://') + 3);
  if (path >= 0 && path < at) return location;
  return location.replace(
    /^((?:[a-z]+\+)?([a-z]+):\/\/)([^/?#]*)@/i,
    (_all, start: string, scheme: string, user: string) =>
      /^ssh$/i.test(scheme) ? `${start}${user.replace(/:.*$/, '')}@` : start,
  );
}
