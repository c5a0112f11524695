/** What the emulator takes for the account's owner. They open nothing outside this machine. */
export const emulatorCredentials = { accessKeyId: '000000000000', secretAccessKey: 'test' } as const;
export const emulatorAccount = '000000000000';
export const sandboxRegion = 'us-east-1';

/** Settings for an AWS client: the emulator's when there is an endpoint, else AWS itself with whatever credentials the environment has. */
export const awsOf = (place: { readonly awsEndpointUrl?: string; readonly region: string }): { region: string; endpoint?: string; credentials?: typeof emulatorCredentials } =>
  place.awsEndpointUrl ? { region: place.region, endpoint: place.awsEndpointUrl, credentials: emulatorCredentials } : { region: place.region };

/** The same for a child process, as the AWS CLI and SDKs read it. */
export const awsEnvironment = (endpoint: string): Record<string, string> => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_ACCESS_KEY_ID: emulatorCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: emulatorCredentials.secretAccessKey,
  AWS_REGION: sandboxRegion,
  AWS_DEFAULT_REGION: sandboxRegion,
});
