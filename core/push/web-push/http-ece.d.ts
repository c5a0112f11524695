/** The functions of http_ece that we use. The package has no types. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  export const encrypt: (
    plain: Buffer,
    parameters: {
      readonly version: 'aes128gcm';
      /** The receiver's public key and its authentication secret, as base64url or octets. */
      readonly dh: string | Buffer;
      readonly authSecret: string | Buffer;
      readonly privateKey: ECDH;
      readonly salt?: string | Buffer;
    },
  ) => Buffer;
}
