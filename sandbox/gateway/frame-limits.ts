/** Longest frame and longest message that API Gateway takes from a client, in bytes (Amazon API Gateway quotas: WebSocket APIs). */
export const frameLimits = { frame: 32 * 1024, message: 128 * 1024 } as const;

/** What API Gateway ends a connection for: length, and data that is not text. */
export type Violation = 'tooBig' | 'binary';

export type FrameMeter = {
  /** Reads the next bytes of a client's frames (RFC 6455 §5.2). @returns what is wrong with the frames and messages that began so far, if anything. */
  violationIn(bytes: Buffer): Violation | undefined;
};

const binaryOpcode = 2;
const isControl = (opcode: number): boolean => opcode >= 8;

/** How many bytes a frame's header has, once its first two are known: more for a long length, four for a mask. */
const headerLength = (second: number): number => {
  const length = second & 0x7f;
  return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + (second & 0x80 ? 4 : 0);
};

const payloadLength = (header: Buffer): number => {
  const length = header[1]! & 0x7f;
  if (length === 126) return header.readUInt16BE(2);
  return length === 127 ? Number(header.readBigUInt64BE(2)) : length;
};

/** Measures a stream of frames without holding any. */
export const frameMeter = (): FrameMeter => {
  let header = Buffer.alloc(0);
  let payloadLeft = 0;
  let message = 0;
  const judgeFrame = (): Violation | undefined => {
    const length = payloadLength(header);
    const [isLast, opcode] = [(header[0]! & 0x80) !== 0, header[0]! & 0x0f];
    header = Buffer.alloc(0);
    payloadLeft = length;
    if (isControl(opcode)) return undefined;
    if (opcode === binaryOpcode) return 'binary';
    message += length;
    const isTooBig = length > frameLimits.frame || message > frameLimits.message;
    if (isLast) message = 0;
    return isTooBig ? 'tooBig' : undefined;
  };
  return {
    violationIn(bytes) {
      for (let at = 0; at < bytes.length;) {
        const skipped = Math.min(payloadLeft, bytes.length - at);
        payloadLeft -= skipped;
        at += skipped;
        if (at >= bytes.length) break;
        const wanted = (header.length < 2 ? 2 : headerLength(header[1]!)) - header.length;
        header = Buffer.concat([header, bytes.subarray(at, at + wanted)]);
        at += Math.min(wanted, bytes.length - at);
        const violation = header.length >= 2 && header.length === headerLength(header[1]!) ? judgeFrame() : undefined;
        if (violation) return violation;
      }
      return undefined;
    },
  };
};
