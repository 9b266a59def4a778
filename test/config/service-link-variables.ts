export interface Port {
  readonly name?: string;
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
}

/** The variables that Kubernetes sets for a Service: those of Kubernetes and those of Docker links. */
export function linksOf(service: string, address: string, ports: readonly Port[]): Record<string, string> {
  const name = service.toUpperCase().replaceAll('-', '_');
  const host = address.includes(':') ? `[${address}]` : address;
  const [first] = ports as readonly [Port, ...Port[]];
  const url = ({ protocol, port }: Port) => `${protocol.toLowerCase()}://${host}:${port}`;
  const links: Record<string, string> = {
    [`${name}_SERVICE_HOST`]: address,
    [`${name}_SERVICE_PORT`]: String(first.port),
    [`${name}_PORT`]: url(first),
  };
  for (const one of ports) {
    const prefix = `${name}_PORT_${one.port}_${one.protocol}`;
    if (one.name !== undefined)
      links[`${name}_SERVICE_PORT_${one.name.toUpperCase().replaceAll('-', '_')}`] = String(one.port);
    links[prefix] = url(one);
    links[`${prefix}_PROTO`] = one.protocol.toLowerCase();
    links[`${prefix}_PORT`] = String(one.port);
    links[`${prefix}_ADDR`] = address;
  }
  return links;
}
