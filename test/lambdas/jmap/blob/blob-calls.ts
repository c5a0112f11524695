import { capability } from '../../../../contract/jmap/core.ts';
import type { JmapDeployment, Json } from '../jmap-deployment.ts';

const using = [capability.core, capability.mail, capability.blob];

/** Calls of Blob methods on Alice's account. */
export const blobCalls = (deployment: JmapDeployment) => {
  const call = async (name: string, args: Json, token = 'alice'): Promise<Json> => {
    const [[, response] = []] = await deployment.perform([[name, { accountId: 'acc_alice', ...args }, 'c']], { using, token });
    return response!;
  };
  return {
    call,
    /** Performs the calls of one request; returns the arguments of their responses. */
    request: async (...calls: (readonly [name: string, args: Json])[]): Promise<Json[]> =>
      (
        await deployment.perform(
          calls.map(([name, args], index) => [name, { accountId: 'acc_alice', ...args }, `c${index}`]),
          { using },
        )
      ).map(([, response]) => response),
    /** Creates one blob of these data sources; returns its BlobObject, or throws its SetError. */
    create: async (...data: unknown[]): Promise<Json> => {
      const { created, notCreated } = await call('Blob/upload', { create: { b: { data } } });
      if (notCreated) throw Object.assign(new Error(notCreated.b.description as string), notCreated.b);
      return created.b as Json;
    },
    upload: deployment.upload,
  };
};
