import { Client } from 'jmap-client-ts';

/** The transport that the library requires: JSON over HTTP, which throws for any status but 200. */
const transport = {
  get: <T>(url: string, headers: Record<string, string>): Promise<T> => json<T>(fetch(url, { headers })),
  post: <T>(url: string, content: unknown, headers: Record<string, string>): Promise<T> =>
    json<T>(fetch(url, { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(content) })),
};

const json = async <T>(responding: Promise<Response>): Promise<T> => {
  const response = await responding;
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
};

/** A client of the published JMAP library jmap-client-ts, with its session. */
export const jmapClientTs = async (sessionUrl: string, accessToken: string): Promise<Client> => {
  const client = new Client({ sessionUrl, accessToken, transport });
  await client.fetchSession();
  return client;
};
