/** The part of mailauth that the tests use. The package has no types. */
declare module 'mailauth' {
  export const authenticate: (
    message: Buffer,
    options: {
      readonly ip: string;
      readonly helo: string;
      readonly sender: string;
      readonly mta: string;
      readonly disableArc: boolean;
      readonly disableBimi: boolean;
      readonly resolver: (name: string, type: string) => Promise<unknown>;
    },
  ) => Promise<{
    readonly dkim: { readonly results: readonly { readonly signingDomain: string; readonly status: { readonly result: string } }[] };
    readonly spf: { readonly domain: string; readonly status: { readonly result: string } };
    readonly dmarc: { readonly policy: string; readonly status: { readonly result: string } };
  }>;
  export const dkimSign: (
    message: Buffer,
    options: {
      readonly canonicalization: string;
      readonly signatureData: readonly { readonly signingDomain: string; readonly selector: string; readonly privateKey: string }[];
    },
  ) => Promise<{ readonly signatures: string; readonly errors: readonly unknown[] }>;
}
