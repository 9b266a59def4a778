import { isIP } from 'node:net';

type Environment = Readonly<Record<string, string | undefined>>;

/** The message about variables that are ignored. */
export const IGNORED_LINKS =
  'variables that Kubernetes sets for Services are ignored; `enableServiceLinks: false` in the pod keeps them away';

/** The endings of the variables of a port, such as `_PORT_80_TCP_ADDR`. Source: Kubernetes, "Accessing the Service". */
const PORT_PART = /^_PORT_\d{1,5}_(?:TCP|UDP|SCTP)(_PROTO|_PORT|_ADDR)?$/;
const NAMED_PORT = /^_SERVICE_PORT_[A-Z0-9_]+$/;

/**
 * The names of the `LOCKHOUND_…` variables that Kubernetes sets in a pod for a Service whose name begins with `lockhound`. Only a
 * name with a value of its shape is one, and only beside the `…_SERVICE_HOST` that Kubernetes always sets: `LOCKHOUND_SERVE_PORT` is a
 * setting, and `tcp://10.0.0.1:80` in it belongs to a Service `lockhound-serve`.
 */
export function serviceLinks(environment: Environment): ReadonlySet<string> {
  const names = Object.keys(environment).filter((name) => name.startsWith('LOCKHOUND_'));
  const services = names.flatMap((name) =>
    name.endsWith('_SERVICE_HOST') && isIP(environment[name] ?? '') > 0
      ? [name.slice(0, -'_SERVICE_HOST'.length)]
      : [],
  );
  const isLink = (name: string): boolean =>
    services.some(
      (service) =>
        name.startsWith(`${service}_`) && isLinkOf(name.slice(service.length), environment[name] ?? ''),
    );
  return new Set(services.length === 0 ? [] : names.filter(isLink));
}

/** `ending`: the name of the variable after that of the Service. */
function isLinkOf(ending: string, value: string): boolean {
  if (ending === '_SERVICE_HOST') return isIP(value) > 0;
  if (ending === '_SERVICE_PORT' || NAMED_PORT.test(ending)) return isPort(value);
  if (ending === '_PORT') return isAddress(value);
  const part = PORT_PART.exec(ending);
  if (part === null) return false;
  switch (part[1]) {
    case undefined:
      return isAddress(value);
    case '_PROTO':
      return /^(?:tcp|udp|sctp)$/.test(value);
    case '_PORT':
      return isPort(value);
    default:
      return isIP(value) > 0;
  }
}

/** `tcp://10.0.0.1:80` or `udp://[fd00::1]:53`. */
function isAddress(value: string): boolean {
  const [, six, four, port = ''] = /^(?:tcp|udp|sctp):\/\/(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(value) ?? [];
  return isIP(six ?? four ?? '') > 0 && isPort(port);
}

function isPort(value: string): boolean {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65_535;
}
