/** The UTF-16 units of a text, with a 0 behind them; as bytes where it is ASCII, as nearly all are. */
export function unitsOf(text: string): Uint8Array | Uint16Array {
  if (Buffer.byteLength(text) === text.length) {
    const bytes = Buffer.allocUnsafeSlow(text.length + 1);
    bytes[bytes.write(text, 'latin1')] = 0;
    return new Uint8Array(bytes.buffer);
  }
  const bytes = Buffer.allocUnsafeSlow(2 * text.length + 2);
  bytes.writeUInt16LE(0, bytes.write(text, 'utf16le'));
  return new Uint16Array(bytes.buffer);
}
