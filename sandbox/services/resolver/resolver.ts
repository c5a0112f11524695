import { createSocket, type RemoteInfo } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import { Route53Client } from '@aws-sdk/client-route-53';
import { decode, encode, AUTHORITATIVE_ANSWER, RECURSION_AVAILABLE, RECURSION_DESIRED, TRUNCATED_RESPONSE, type Packet } from 'dns-packet';
import { sandboxRegion } from '../../deployment/aws-target.ts';
import { emulatorClientConfig } from '../../deployment/aws-target.ts';
import { listenOnLoopback, listenError } from '../../process/loopback-server.ts';
import { answerQuestion, responseCode, type DnsReply } from './dns-answer.ts';
import { hostedZones, type HostedZones } from './hosted-zones.ts';

export type ResolverOptions = {
  /** The port for UDP and TCP on 127.0.0.1. */
  readonly port: number;
  /** The endpoint of the emulator whose Route 53 is served. */
  readonly emulator: string;
};

/** Maximum octets of a UDP reply without EDNS (RFC 1035 §4.2.1), and with EDNS, so that it is not fragmented. */
const smallestDatagram = 512;
const largestDatagram = 1232;

const datagramSize = (query: Packet): number => {
  const option = query.additionals?.find((record) => record.type === 'OPT');
  return option?.type === 'OPT' ? Math.min(Math.max(option.udpPayloadSize, smallestDatagram), largestDatagram) : smallestDatagram;
};

const packetOf = (query: Packet, reply: DnsReply): Packet => ({
  type: 'response',
  id: query.id,
  flags: reply.code | AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | ((query.flags ?? 0) & RECURSION_DESIRED),
  questions: query.questions,
  answers: reply.answers,
  authorities: reply.authorities,
  additionals: query.additionals?.some((record) => record.type === 'OPT')
    ? [{ type: 'OPT', name: '.', udpPayloadSize: largestDatagram, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }]
    : [],
});

const emptyReply = (code: number): DnsReply => ({ code, answers: [], authorities: [] });

const replyTo = async (zones: HostedZones, query: Packet): Promise<DnsReply> => {
  const [question, ...more] = query.questions ?? [];
  if (!question || more.length > 0) return emptyReply(responseCode.formatError);
  if (question.class !== undefined && question.class !== 'IN') return emptyReply(responseCode.notImplemented);
  return answerQuestion(zones, question).catch(() => emptyReply(responseCode.serverFailure));
};

const decodeQuery = (message: Buffer): Packet | undefined => {
  try {
    const packet = decode(message);
    return packet.type === 'query' ? packet : undefined;
  } catch {
    return undefined;
  }
};

/** The reply to a message; undefined when the message is not a query and gets no reply. */
const respond = async (zones: HostedZones, message: Buffer, limit?: (query: Packet) => number): Promise<Buffer | undefined> => {
  const query = decodeQuery(message);
  if (!query) return undefined;
  const packet = packetOf(query, await replyTo(zones, query));
  const octets = encode(packet);
  if (limit === undefined || octets.length <= limit(query)) return octets;
  return encode({ ...packet, flags: (packet.flags ?? 0) | TRUNCATED_RESPONSE, answers: [], authorities: [] });
};

/** Queries over TCP have a length prefix (RFC 1035 §4.2.2) and are answered in order. */
const serveStream = async (zones: HostedZones, socket: Socket): Promise<void> => {
  let buffered = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= 2 && buffered.length >= 2 + buffered.readUInt16BE(0)) {
      const end = 2 + buffered.readUInt16BE(0);
      const octets = await respond(zones, buffered.subarray(2, end));
      buffered = buffered.subarray(end);
      if (!octets) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(octets.length);
      socket.write(Buffer.concat([length, octets]));
    }
  }
};

const serveDatagrams = async (zones: HostedZones, port: number): Promise<{ stop(): Promise<void> }> => {
  const socket = createSocket('udp4');
  const serve = async (message: Buffer, sender: RemoteInfo): Promise<void> => {
    const octets = await respond(zones, message, datagramSize);
    if (octets) socket.send(octets, sender.port, sender.address);
  };
  socket.on('message', (message, sender) => {
    void serve(message, sender).catch(() => undefined);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) => reject(listenError(port, error)));
    socket.bind(port, '127.0.0.1', resolve);
  });
  socket.on('error', () => undefined);
  return {
    stop: () =>
      new Promise((resolve) => {
        socket.close(() => resolve());
      }),
  };
};

/**
 * Starts a name server for the emulator's hosted zones, for `node:dns` (`Resolver.setServers(['127.0.0.1:port'])`) and
 * other clients. Resolves when it listens.
 * @throws SandboxError for a port that is taken.
 */
export const startResolver = async ({ port, emulator }: ResolverOptions): Promise<{ stop(): Promise<void> }> => {
  const client = new Route53Client(emulatorClientConfig({ endpoint: emulator, region: sandboxRegion }));
  const zones = hostedZones(client);
  const streams = await listenOnLoopback(
    port,
    createServer((socket) => {
      socket.setTimeout(10_000, () => socket.destroy());
      socket.on('error', () => socket.destroy());
      void serveStream(zones, socket)
        .catch(() => undefined)
        .finally(() => socket.destroy());
    }),
  );
  try {
    const datagrams = await serveDatagrams(zones, port);
    return {
      async stop() {
        await Promise.all([streams.stop(), datagrams.stop()]);
        client.destroy();
      },
    };
  } catch (error) {
    await streams.stop();
    throw error;
  }
};
