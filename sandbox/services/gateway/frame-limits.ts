/**
 * Maximum bytes of a frame and of a message that API Gateway accepts from a client (Amazon API Gateway quotas:
 * WebSocket APIs).
 */
const frameLimits = { frame: 32 * 1024, message: 128 * 1024 } as const;

/** Reasons for which API Gateway closes a connection: too much data, or binary data. */
export type Violation = 'tooBig' | 'binary';

type FrameMeter = {
  /** Reads the next bytes of a client's frames (RFC 6455 §5.2). @returns the first violation of a limit, if any. */
  nextViolation(bytes: Buffer): Violation | undefined;
};

const binaryOpcode = 2;
const isControl = (opcode: number): boolean => opcode >= 8;

/** The length of a frame's header, by its second byte. An extended length and a mask make it longer. */
const headerLength = (second: number): number => {
  const length = second & 0x7f;
  return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + (second & 0x80 ? 4 : 0);
};

const payloadLength = (header: Buffer): number => {
  const length = header[1]! & 0x7f;
  if (length === 126) return header.readUInt16BE(2);
  return length === 127 ? Number(header.readBigUInt64BE(2)) : length;
};

/** Measures a stream of frames without buffering payloads. */
export const frameMeter = (): FrameMeter => {
  let header = Buffer.alloc(0);
  let payloadRemaining = 0;
  let message = 0;
  const checkFrame = (): Violation | undefined => {
    const length = payloadLength(header);
    const [isLast, opcode] = [(header[0]! & 0x80) !== 0, header[0]! & 0x0f];
    header = Buffer.alloc(0);
    payloadRemaining = length;
    if (isControl(opcode)) return undefined;
    if (opcode === binaryOpcode) return 'binary';
    message += length;
    const isTooBig = length > frameLimits.frame || message > frameLimits.message;
    if (isLast) message = 0;
    return isTooBig ? 'tooBig' : undefined;
  };
  return {
    nextViolation(bytes) {
      for (let position = 0; position < bytes.length;) {
        const skipped = Math.min(payloadRemaining, bytes.length - position);
        payloadRemaining -= skipped;
        position += skipped;
        if (position >= bytes.length) break;
        const needed = (header.length < 2 ? 2 : headerLength(header[1]!)) - header.length;
        header = Buffer.concat([header, bytes.subarray(position, position + needed)]);
        position += Math.min(needed, bytes.length - position);
        const violation = header.length >= 2 && header.length === headerLength(header[1]!) ? checkFrame() : undefined;
        if (violation) return violation;
      }
      return undefined;
    },
  };
};
