/** Whether a host, as an address or as `URL.hostname` has it, is this machine by definition: `localhost`, 127.0.0.0/8 or `::1`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
