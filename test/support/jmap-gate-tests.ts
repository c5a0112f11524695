import type { HttpResponse } from '../../core/runtime/http/http.ts';

/** Tests the gate of an endpoint of `blobsDeployment`. @param resource the path of the metadata that the challenge names. */
export const jmapGateTests = (respond: (who: string | undefined) => Promise<HttpResponse>, resource: string): void => {
  test.each([
    [undefined, 401],
    ['wrong', 401],
    ['admin', 403],
    ['gone', 403],
    ['unknown', 403],
  ] as const)('answers a token of %s with %i', async (who, status) => {
    const response = await respond(who);
    expect(response.statusCode).toBe(status);
    expect(JSON.parse(response.body ?? '')).toMatchObject({ status });
    expect(response.headers?.['www-authenticate']).toContain(
      `Bearer resource_metadata="https://jmap.example.test/.well-known/oauth-protected-resource${resource}`,
    );
  });
};
